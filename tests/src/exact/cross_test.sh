#!/bin/sh
# cross_test.sh COMPILER QEMU ROOT HOST_PROGRAM SOURCE...
# The results of cross_results.cpp, compiled for the other processor, are those of this one.
set -eu
compiler=$1 qemu=$2 root=$3 host=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$compiler" -std=c++20 -O2 -ffp-contract=off -static -I"$root" -I"$root/include" -o "$work/other" "$@"
"$host" > "$work/here"
"$qemu" "$work/other" > "$work/there"
[ "$(wc -l < "$work/here")" -eq 24 ] || { cat "$work/here"; exit 1; }
diff "$work/here" "$work/there"
