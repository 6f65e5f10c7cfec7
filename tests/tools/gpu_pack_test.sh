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
for section in facts selftest bits speed; do
  grep -q "^$section  *passed" "$work/out/summary" || { echo "$section did not pass"; exit 1; }
done
# Without a driver the script says so and fails.
if OCL_ICD_VENDORS=/nonexistent BACKEND=opencl SMALL=1 bash "$work/pack/device.sh" "$work/none"; then
  echo "no device, and nothing failed" && exit 1
fi
grep -q '^facts  *failed' "$work/none/summary"
