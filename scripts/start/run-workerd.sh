#!/bin/sh
. "${0%/*}/end-with-parent.sh"
exec "$WORKERD_BINARY" "$@"
