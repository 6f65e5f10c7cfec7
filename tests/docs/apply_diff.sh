#!/bin/bash
# Applies the diff of a page of docs/ to a copy of the files that it changes. Fails where the page no
# longer fits the sources, or changes more files than five.
# apply_diff.sh PAGE SOURCES COPY
set -euo pipefail
page=$1 sources=$2 copy=$3
rm -rf "$copy"
mkdir -p "$copy"
sed -n '/^```diff$/,/^```$/p' "$page" | sed '1d;$d' > "$copy/diff"
for file in $(sed -n 's#^--- a/##p' "$copy/diff"); do
  mkdir -p "$(dirname "$copy/$file")"
  cp "$sources/$file" "$copy/$file"
done
patch --directory="$copy" --strip=1 --silent --no-backup-if-mismatch < "$copy/diff"
files=$(grep -c '^+++ b/' "$copy/diff")
[ "$files" -le 5 ] || { echo "the diff changes $files files; five are promised" >&2; exit 1; }
