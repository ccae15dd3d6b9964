#!/bin/sh
. "${0%/*}/end-with-parent.sh"
exec "$ESBUILD_BINARY" "$@"
