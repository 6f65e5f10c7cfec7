#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs every test.
#   bash tools/test.sh                 everything (labels unit, bits, slow)
#   bash tools/test.sh -LE slow        further arguments go to ctest
#   REPROSUM_PRESET=asan bash tools/test.sh
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/install.sh
preset=${REPROSUM_PRESET:-release}
launcher=()
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # one clone's objects serve the next
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake --preset "$preset" "${launcher[@]}" >/dev/null
cmake --build --preset "$preset"
# One test at a time per core: some tests probe libraries that start threads of their own.
ctest --preset "$preset" -j "$(nproc)" "$@"
