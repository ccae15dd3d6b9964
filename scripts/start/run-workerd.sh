#!/bin/sh
# Runs workerd (WORKERD_BINARY) in place of this shell, and ends it when the process that started it is gone: workerd
# itself would go on serving after its wrangler was killed.
parent=$PPID
self=$$
(
  while kill -0 "$parent" && kill -0 "$self"; do sleep 1; done
  kill -9 "$self"
) </dev/null >/dev/null 2>&1 3>&- &
exec "$WORKERD_BINARY" "$@"
