#!/bin/sh
# trampoline_cross_test.sh COMPILER EMULATOR SYSROOT TRAMPOLINE.S TEST.c TEST.def
# The trampolines of another processor, run in an emulator.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" -O2 -std=c99 -DREPROSUM_BLAS_FORWARDED="\"$6\"" "$4" "$5" -lm -o "$work/test"
"$2" -L "$3" "$work/test"
