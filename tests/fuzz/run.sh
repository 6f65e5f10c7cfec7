#!/usr/bin/env bash
# Builds the fuzz targets with clang and AddressSanitizer and runs each for half of SECONDS.
#   tests/fuzz/run.sh [SECONDS]      (60 unless told; build tree: $REPROSUM_FUZZ_BUILD or build/fuzz)
#   tests/fuzz/run.sh replay SECONDS
#                       the other target: odd specs compiled and run between guard pages, with AddressSanitizer
#                       (build tree: $REPROSUM_FUZZ_BUILD or build/asan), half of SECONDS for each ISA of the host
# Exit status: 0 clean, 77 clang or libFuzzer is absent, anything else: a finding, whose input is kept.
set -euo pipefail

if [[ ${1:-} == replay ]]; then
  seconds=${2:-60}
  source_dir=$(cd "$(dirname "$0")/../.." && pwd)
  build=${REPROSUM_FUZZ_BUILD:-$source_dir/build/asan}
  cmake --preset asan -S "$source_dir" -B "$build" > /dev/null
  cmake --build "$build" --target replay_fuzzer
  for isa in avx2 avx512; do
    echo "== $isa =="
    REPROSUM_ISA=$isa "$build/replay_fuzzer" "$source_dir/tests/fuzz/seeds-replay" $((seconds / 2))
  done
  exit 0
fi

seconds=${1:-60}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=${REPROSUM_FUZZ_BUILD:-$source_dir/build/fuzz}
here=$source_dir/tests/fuzz

clang=${CLANGXX:-clang++}
if ! command -v "$clang" > /dev/null; then
  echo "skipped: no $clang"
  exit 77
fi
mkdir -p "$build"
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  "$clang" -x c++ -fsanitize=fuzzer,address - -o "$build/probe" 2> /dev/null; then
  echo "skipped: $clang has no libFuzzer"
  exit 77
fi

launcher=() # a build of its own, which takes longer than the run
command -v ccache > /dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
export CCACHE_BASEDIR=$source_dir CCACHE_NOHASHDIR=1
cmake -S "$source_dir" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "${launcher[@]}" \
  -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${CLANG:-clang}" -DREPROSUM_FUZZ=ON \
  -DREPROSUM_TESTS=OFF -DREPROSUM_BENCH=OFF \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only -DNDEBUG" \
  -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" \
  > "$build/configure.log" || { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --target text_fuzzer json_fuzzer

for kind in text json; do
  work=$build/corpus-$kind # what a run finds is kept apart from the seeds
  mkdir -p "$work"
  echo "== $kind: $((seconds / 2)) s =="
  # libFuzzer's own exit status for a crash is 77, which would read as "skipped".
  "$build/${kind}_fuzzer" -error_exitcode=1 -timeout_exitcode=1 -max_len=4096 \
    -max_total_time=$((seconds / 2)) -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -print_funcs=0 -verbosity=0 -dict="$here/$kind.dict" \
    -artifact_prefix="$build/finding-$kind-" "$work" "$here/seeds-$kind"
done
