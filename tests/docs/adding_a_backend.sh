#!/bin/bash
# Applies the diff of docs/adding_a_backend.md to a copy of the files that it changes, for the target
# docs_program_backend. Fails where the page no longer fits the sources.
# adding_a_backend.sh SOURCES COPY
set -euo pipefail
sources=$1 copy=$2
rm -rf "$copy"
mkdir -p "$copy/kernels"
sed -n '/^```diff$/,/^```$/p' "$sources/docs/adding_a_backend.md" | sed '1d;$d' > "$copy/diff"
for file in $(sed -n 's#^--- a/##p' "$copy/diff"); do cp "$sources/$file" "$copy/$file"; done
patch --directory="$copy" --strip=1 --silent --no-backup-if-mismatch < "$copy/diff"
files=$(grep -c '^+++ b/' "$copy/diff")
[ "$files" -le 5 ] || { echo "the diff changes $files files; five are promised" >&2; exit 1; }
grep -q program_backend.cpp "$copy/kernels/CMakeLists.txt"
