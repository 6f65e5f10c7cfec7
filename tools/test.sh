#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs the tests.
#   bash tools/test.sh                 every label but full: some 45 minutes of two cores
#   bash tools/test.sh --full          those as well
#   bash tools/test.sh -LE slow        further arguments go to ctest
#   REPROSUM_PRESET=asan bash tools/test.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# ctest leaves out only what matches every -LE, so there must be one.
long='^full$' left_out=''
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --full) long='' ;;
    -LE | --label-exclude)
      left_out=${2:?$1 takes a regular expression}
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
left_out=$long${long:+${left_out:+|}}$left_out
[ -z "$left_out" ] || arguments+=(-LE "$left_out")

bash tools/install.sh
preset=${REPROSUM_PRESET:-release}
launcher=()
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # one clone's objects serve the next
export CCACHE_SLOPPINESS=pch_defines,time_macros  # or it leaves files with precompiled headers alone
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# Debian 12 has no nanobind, which the Python package's module is built with.
python=() nanobind=build/nanobind
[ "$preset" != release ] || [ -d "$nanobind" ] ||
  /usr/bin/python3 -m pip install -q --no-deps --target "$nanobind" nanobind==2.9.2 ||
  rm -rf "$nanobind"
if [ "$preset" != release ]; then
  :  # sanitizers would have to be in Python itself
elif [ -d "$nanobind" ]; then
  python=(-DREPROSUM_PYTHON_PACKAGE=ON "-Dnanobind_DIR=$PWD/$nanobind/nanobind/cmake"
    -DPython_EXECUTABLE=/usr/bin/python3)
else
  echo "test.sh: pip gave no nanobind, so the Python package is neither built nor tested" >&2
fi
cmake --preset "$preset" "${launcher[@]}" "${python[@]}" >/dev/null
cmake --build --preset "$preset"
# One test at a time per core: some tests probe libraries that start threads of their own.
ctest --preset "$preset" -j "$(nproc)" "${arguments[@]}"
