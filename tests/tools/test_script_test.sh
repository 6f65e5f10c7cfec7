#!/usr/bin/env bash
# test_script_test.sh SOURCES: which tests tools/test.sh asks ctest for. cmake and ctest are stubs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/bin" "$work/build/nanobind"  # as if pip had been there
cp "$1/tools/test.sh" "$work/tools/"
: > "$work/tools/install.sh"
printf '#!/bin/sh\n' > "$work/bin/cmake"
printf '#!/bin/sh\necho "$*" | sed "s/-j [0-9]*/-j/"\n' > "$work/bin/ctest"
chmod +x "$work/bin/cmake" "$work/bin/ctest"

failed=0
expect() { # WANTED ARGUMENTS...
  wanted=$1
  shift
  got=$(PATH=$work/bin:$PATH bash "$work/tools/test.sh" "$@")
  [ "$got" = "$wanted" ] || { echo "test.sh $*: \"$got\", not \"$wanted\""; failed=1; }
}
expect '--preset release -j -LE ^full$'
expect '--preset release -j' --full
expect '--preset release -j -L unit -LE ^full$|slow|bits' -LE 'slow|bits' -L unit
expect '--preset release -j -LE slow' -LE slow --full
expect '--preset release -j -LE slow' --full -LE slow
REPROSUM_PRESET=asan expect '--preset asan -j -R Tree -LE ^full$' -R Tree
exit $failed
