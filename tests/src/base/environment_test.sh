#!/bin/sh
# environment_test.sh SOURCES: nothing but src/base/environment.h asks the environment, so that no
# part believes it in a set-uid program. (LLVM's code, linked in, has a getenv that is never called.)
set -eu
cd "$1"
found=$(grep -rnE '\b(secure_)?getenv\b' spec reveal kernels src include --include='*.h' --include='*.cpp' \
  --include='*.c' --include='*.S' --include='*.def' | grep -v '^src/base/environment.h:' || true)
[ -z "$found" ] || { echo "ask base::variable instead:"; echo "$found"; exit 1; }
grep -q 'secure_getenv(name)' src/base/environment.h
