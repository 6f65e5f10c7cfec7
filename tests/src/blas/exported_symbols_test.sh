#!/bin/sh
# exported_symbols_test.sh NM TABLE LIBREPROSUM_BLAS LIBBLAS [REFERENCE...]
# Both libraries show what the table says and nothing else. Every BLAS symbol of each installed
# reference library is among those of our libblas.so.3; and among those of the preloaded library
# unless the table says `libblas`.
set -eu
export LC_ALL=C
nm=$1 table=$2 preload=$3 libblas=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

shown() { "$nm" -D --defined-only "$1" | awk '$(NF-1) ~ /^[TWi]$/ {print $NF}' | sed 's/@.*//' | sort -u; }
same() { # WHAT WANTED GOT
  cmp -s "$2" "$3" || { echo "$1:" && diff "$2" "$3" | head -20; failed=1; }
}

grep '^[a-z]' "$table" | awk '$1 != "libblas" && $1 != "lapack" {for (i = 2; i <= NF; ++i) {
    print $i
    if ($i ~ /^cblas_/) print $i "_64\n" $i "64_"; else print $i "64_\n" $i "64"
  }}' | sort > "$work/plain"
[ -z "$(uniq -d "$work/plain")" ] || { echo "twice in the table:"; uniq -d "$work/plain"; failed=1; }
grep '^libblas' "$table" | awk '{print $2}' | sort - "$work/plain" > "$work/libblas"
grep '^[a-z]' "$table" | awk '$1 != "libblas" && $1 != "lapack" {for (i = 2; i <= NF; ++i) {
    print "scipy_" $i "\nscipy_" $i "64_"
  }}' > "$work/wheels"
# Drivers of LAPACK have a version that no linker takes.
grep '^lapack' "$table" | awk '{for (i = 3; i <= NF; ++i) {
    print $i "@REPROSUM_COUNTED\n" $i "64_@REPROSUM_COUNTED\n" $i "64@REPROSUM_COUNTED"
    print "scipy_" $i "@REPROSUM_COUNTED\nscipy_" $i "64_@REPROSUM_COUNTED"
  }} END {print "REPROSUM_COUNTED"}' | sort - "$work/plain" "$work/wheels" > "$work/preload"
for library in preload libblas; do
  eval "file=\$$library"
  "$nm" -D --defined-only "$file" | awk '{print $NF}' | sort > "$work/shown"
  same "$file shows other symbols than $table says" "$work/$library" "$work/shown"
done

# ?sub_ are internals of the reference's CBLAS, __xerbla and bli_ those of OpenBLAS and BLIS.
for reference in "$@"; do
  shown "$reference" | grep -E '^(cblas_)?[a-z0-9]+(_array|_sub|_batch)?_?$' | grep -E '^cblas_|_$' |
    grep -vE 'sub_$' > "$work/reference"
  [ "$(wc -l < "$work/reference")" -gt 290 ] || { echo "$reference: too few symbols seen"; failed=1; }
  missing=$(comm -23 "$work/reference" "$work/libblas")
  [ -z "$missing" ] || { echo "$reference has, and ours has not:" && echo "$missing"; failed=1; }
done
[ $# -gt 0 ] || echo "no reference library is installed; only the table was checked"
exit $failed
