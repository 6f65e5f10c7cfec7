#!/usr/bin/env bash
# Builds what a machine with a GPU needs to try this library, into .gpu/ (or the directory named):
# programs that need nothing but libc there, the shipped specs, what their orders give (golden.txt,
# by the interpreter here) and, where NVRTC is, the machine code of their kernels (programs/).
# tools/gpu/device.sh runs them. Compiling takes minutes the first time; build/gpu/programs keeps it.
#   [CAPABILITIES="90 100"] bash tools/gpu/pack.sh [DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/../.."
to=${1:-.gpu}
most=$((64 << 20))  # bytes that may be brought along

programs=(reprosum reprosum-target bench_device device_golden device_test self_test_test)
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
"$to/device_golden" make "$to"/specs/*.json >"$to/golden.txt"
rm -rf build/gpu/texts
"$to/bench_device" --texts build/gpu/texts
code=0
"$to/device_golden" pack "$to/golden.txt" --specs "$to/specs" --texts build/gpu/texts \
  --kept build/gpu/programs -o "$to/programs" --capability ${CAPABILITIES:-90} || code=$?
[ $code -eq 0 ] || [ $code -eq 3 ] || exit $code  # 3: no NVRTC, so no programs/
size=$(du -sb "$to" | cut -f1)
[ "$size" -le "$most" ] || { echo "pack.sh: $to has $size bytes, more than $most" >&2; exit 1; }
echo "$to: $((size >> 20)) MiB, $(objdump -T "$to/reprosum" | grep -oE 'GLIBC_2\.[0-9]+' | sort -V | tail -1)"
