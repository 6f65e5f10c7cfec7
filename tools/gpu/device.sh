#!/usr/bin/env bash
# Runs what tools/gpu/pack.sh has packed, where the GPU is: facts, self-test, bits, the sanitizer,
# speed. Every section has a time limit, all of them take 300 s at most; a summary comes last.
#   bash .gpu/device.sh OUT            on a CUDA GPU
#   BACKEND=opencl bash .gpu/device.sh OUT     on an OpenCL device; SMALL=1 for a processor (PoCL)
# OUT gets a log for each section and `summary`. The exit code is 1 if a section failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: device.sh OUT}"
out=$(cd "$1" && pwd)
backend=${BACKEND:-cuda}
small=${SMALL:+--small}
export REPROSUM_CACHE_DIR=${REPROSUM_CACHE_DIR:-$out/cache}
cd "$here" || exit 2
failed=0
: >"$out/summary"

# section NAME SECONDS COMMAND...: one line of result, the whole in OUT/NAME.log
section() {
  local name=$1 limit=$2 start=$SECONDS code word
  shift 2
  timeout -k 5 "$limit" "$@" >"$out/$name.log" 2>&1
  code=$?
  case $code in
    0) word=passed ;;
    124 | 137) word="over its $limit s" failed=1 ;;
    *) word="failed ($code)" failed=1 ;;
  esac
  printf '%-12s %-16s %3s s  %s\n' "$name" "$word" $((SECONDS - start)) \
    "$(grep -v '^[[:space:]]*$' "$out/$name.log" | tail -n 1 | cut -c1-120)" | tee -a "$out/summary"
}
skipped() { printf '%-12s %-16s        %s\n' "$1" skipped "$2" | tee -a "$out/summary"; }

facts() {
  if command -v nvidia-smi >/dev/null; then nvidia-smi; fi
  ./reprosum doctor
  ./reprosum list | grep "^$backend device" # fails where there is none
}
# The dialect's cases alone. A test that is skipped is no test here.
tests() {
  local code=0 log
  for program in "$@"; do
    log=$(./"$program" --gtest_filter="*$filter*" --gtest_brief=0 2>&1) || code=1
    printf '%s\n' "$log"
    grep -q '\[  PASSED  \] [1-9]' <<<"$log" || { echo "$program: nothing ran" && code=1; }
  done
  return $code
}
# What is not reached in time is no failure; what differs is, and a spec of which nothing was tried.
bits() {
  local code=0 said
  for spec in numpy-1.24-sum reference-3.11.0 openblas-0.3.21-Haswell blis-0.9.0-haswell; do
    said=$(./reprosum verify "specs/$spec.json" --backend "$backend" --vectors "$1" --timeout 18 2>&1)
    printf '== %s\n%s\n' "$spec" "$said"
    if grep -q '^differs' <<<"$said" || ! grep -q '^holds' <<<"$said"; then code=1; fi
  done
  return $code
}
export -f facts tests bits
export backend
filter=$backend
export filter

section facts 15 bash -c facts
section selftest 40 bash -c 'tests self_test_test device_test'
section bits 85 bash -c "bits ${VECTORS:-1000}"
if [ "$backend" = cuda ] && command -v compute-sanitizer >/dev/null; then
  section memcheck 30 compute-sanitizer --tool memcheck --error-exitcode 1 \
    ./reprosum verify specs/numpy-1.24-sum.json --backend cuda --vectors 100
  section racecheck 30 compute-sanitizer --tool racecheck --error-exitcode 1 \
    ./reprosum verify specs/numpy-1.24-sum.json --backend cuda --vectors 100
else
  skipped sanitizer "no compute-sanitizer, or no CUDA"
fi
section speed 45 ./bench_device --backend "$backend" ${small:+"$small"}
# A capture that refuses something ends with 1: what was captured is in OUT, and says on which GPU.
captured() {
  local code
  ./reprosum capture -t "$1" --routines "$2" --increments 1:1 --reach 0 --timeout "$3" -o "$4"
  code=$?
  [ $code -le 1 ] && [ -s "$4" ]
}
export -f captured
if [ "$backend" = cuda ]; then
  section cublas_dot 20 bash -c "captured cublas: sdot,ddot 15 '$out/cublas_dot.json'"
  section cublas_gemm 35 bash -c "captured cublas:,math=pedantic sgemv,dgemv,sgemm,dgemm 30 '$out/cublas_gemm.json'"
else
  section clblast 50 bash -c "captured clblast: sgemm 45 '$out/clblast.json'"
fi

echo
[ ! -s "$out/speed.log" ] || cat "$out/speed.log"
echo
cat "$out/summary"
exit $failed
