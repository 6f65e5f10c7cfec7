#!/usr/bin/env bash
# Runs what tools/gpu/pack.sh has packed, where the GPU is: facts, self-test, golden hashes, bits,
# the sanitizer, speed. Every section has a time limit, all of them take 300 s at most; a summary
# comes last. Without NVRTC the packed machine code is run, and what needs other kernels is skipped.
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
# Machine code is taken from a directory of one's own alone, whoever brought it here.
packed=
if [ "$backend" = cuda ] && [ -d programs ]; then
  packed=$(mktemp -d)
  trap 'rm -rf "$packed"' EXIT
  cp programs/* "$packed" && chmod -R go-w "$packed"
fi

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
# A line for each spec. On CUDA by packed machine code, so that nothing is compiled.
golden() {
  if [ -n "$packed" ]; then export REPROSUM_PROGRAMS=$packed REPROSUM_CACHE_DIR=; fi
  ./device_golden check golden.txt --specs specs --backend "$backend" "$@"
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
    said=$(./reprosum verify "specs/$spec.json" --backend "$backend" --vectors "$1" --timeout 13 2>&1)
    printf '== %s\n%s\n' "$spec" "$said"
    if grep -q '^differs' <<<"$said" || ! grep -q '^holds' <<<"$said"; then code=1; fi
  done
  return $code
}
# golden under a tool of compute-sanitizer.
sanitized() {
  if [ -n "$packed" ]; then export REPROSUM_PROGRAMS=$packed REPROSUM_CACHE_DIR=; fi
  compute-sanitizer --tool "$1" --error-exitcode 1 \
    ./device_golden check golden.txt --specs specs --backend cuda --every 60 --timeout 12
}
export -f facts golden tests bits sanitized
export backend packed
filter=$backend
export filter

# Seconds; OpenCL has no sanitizer and one capture, and processors compile slowly.
bits_limit=60 speed_limit=40
[ "$backend" = cuda ] || bits_limit=85 speed_limit=65

section facts 15 bash -c facts
no_compiler=  # as doctor has said
if [ "$backend" = cuda ] && ! grep -Eq ' nvrtc +NVRTC [0-9]' "$out/facts.log"; then
  no_compiler=yes
fi
if [ -z "$no_compiler" ]; then
  section selftest 40 bash -c 'tests self_test_test device_test'
else
  # ForeignPrograms... compiles a text of its own.
  section selftest 40 env REPROSUM_PROGRAMS="$packed" filter='SelfTest*cuda:-*Foreign' \
    bash -c 'tests self_test_test'
fi
# A processor compiles for seconds what a GPU has as machine code: a sample.
section golden 45 bash -c "golden --timeout 35 ${small:+--every 150}"
if [ -z "$no_compiler" ]; then
  section bits $bits_limit bash -c "bits ${VECTORS:-1000}"
else
  skipped bits "no NVRTC: golden has looked at packed kernels"
fi
if [ "$backend" = cuda ] && command -v compute-sanitizer >/dev/null; then
  section memcheck 25 bash -c 'sanitized memcheck'
  section racecheck 25 bash -c 'sanitized racecheck'
else
  skipped sanitizer "no compute-sanitizer, or no CUDA"
fi
section speed $speed_limit env ${no_compiler:+REPROSUM_PROGRAMS="$packed"} \
  ./bench_device --backend "$backend" ${small:+"$small"}
# captured TARGET ROUTINES SECONDS FILE [OPTIONS]. A capture that refuses something ends with 1: what
# was captured is in OUT, and says on which GPU.
captured() {
  local code
  ./reprosum capture -t "$1" --routines "$2" --increments 1:1 --reach 0 --timeout "$3" -o "$4" "${@:5}"
  code=$?
  [ $code -le 1 ] && [ -s "$4" ]
}
export -f captured
if [ "$backend" = cuda ]; then
  section cublas_dot 20 bash -c "captured cublas: sdot,ddot 15 '$out/cublas_dot.json'"
  section cublas_gemm 30 bash -c "captured cublas:,math=pedantic sgemv,dgemv,sgemm,dgemm 25 '$out/cublas_gemm.json'"
else
  # A sample, which a processor has in ten seconds.
  section clblast 50 bash -c "captured clblast: sdot 45 '$out/clblast.json' --n-max 1000 --vectors 100"
fi

echo
[ ! -s "$out/speed.log" ] || cat "$out/speed.log"
echo
cat "$out/summary"
exit $failed
