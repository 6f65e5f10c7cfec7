#!/usr/bin/env bash
# gpu_pack_test.sh SOURCES: what is packed for a machine with a GPU runs here on OpenCL, every
# section of it. Exit code 77: there is no OpenCL device.
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash tools/gpu/pack.sh "$work/pack"
"$work/pack/reprosum" list | grep -q '^opencl device' || exit 77
BACKEND=opencl SMALL=1 VECTORS=20 bash "$work/pack/device.sh" "$work/out"
for section in facts selftest golden bits speed; do
  grep -q "^$section  *passed" "$work/out/summary" || { echo "$section did not pass"; exit 1; }
done
# A line for each spec, and each was looked at.
[ "$(grep -c '^holds .*: [1-9]' "$work/out/golden.log")" = "$(ls spec/library/*.json | wc -l)" ]
# A value that differs is found and named; operands that differ are no fault of the device.
golden() { "$work/pack/device_golden" check "$1" --specs "$work/pack/specs"; }
head -n 3 "$work/pack/golden.txt" | sed '3s/.$/x/' >"$work/value.txt"
if golden "$work/value.txt" >"$work/said"; then echo "another value passed" && exit 1; fi
grep -q '^ *first: .* of entry ' "$work/said"
head -n 3 "$work/pack/golden.txt" | sed '3s/[^ ]\( [^ ]*\)$/x\1/' >"$work/operands.txt"
if golden "$work/operands.txt" 2>"$work/said"; then echo "other operands passed" && exit 1; fi
grep -q 'draws other operands' "$work/said"
# Machine code of every kernel, where NVRTC is here.
if "$work/pack/reprosum" doctor | grep -q ' nvrtc  *NVRTC [0-9]'; then
  [ "$(ls "$work/pack/programs"/*.kernel | wc -l)" -gt 100 ]
fi
# Without a driver the script says so and fails.
if OCL_ICD_VENDORS=/nonexistent BACKEND=opencl SMALL=1 bash "$work/pack/device.sh" "$work/none"; then
  echo "no device, and nothing failed" && exit 1
fi
grep -q '^facts  *failed' "$work/none/summary"
