#!/usr/bin/env bash
# Builds what a machine with a GPU needs to try this library, into .gpu/ (or the directory named):
# programs that need nothing but libc there, and the shipped specs. tools/gpu/device.sh runs them.
#   bash tools/gpu/pack.sh [DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/../.."
to=${1:-.gpu}
most=$((64 << 20))  # bytes that may be brought along

programs=(reprosum reprosum-target bench_device device_test self_test_test)
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake --preset gpu "${launcher[@]}" >/dev/null
cmake --build --preset gpu --target reprosum_cli reprosum_target "${programs[@]:2}"

rm -rf "$to"
mkdir -p "$to/specs"
for program in "${programs[@]}"; do
  strip -o "$to/$program" "build/gpu/$program"
  # What it still loads: libc and the loader alone, so that it runs wherever that is as new.
  strange=$(ldd "$to/$program" | awk '{print $1}' |
    grep -vE '^(linux-vdso|libc|libm|libdl|libpthread)\.so|/ld-linux' || true)
  [ -z "$strange" ] || { echo "pack.sh: $program needs $strange" >&2; exit 1; }
done
cp spec/library/*.json "$to/specs/"
cp tools/gpu/device.sh "$to/"
size=$(du -sb "$to" | cut -f1)
[ "$size" -le "$most" ] || { echo "pack.sh: $to has $size bytes, more than $most" >&2; exit 1; }
echo "$to: $((size >> 20)) MiB, $(objdump -T "$to/reprosum" | grep -oE 'GLIBC_2\.[0-9]+' | sort -V | tail -1)"
