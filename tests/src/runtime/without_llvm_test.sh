#!/bin/sh
# without_llvm_test.sh CMAKE SOURCES FULL_BUILD C_COMPILER [BUILD]
# Builds the library with -DREPROSUM_LLVM=OFF: it is small, keeps the table of backends, and runs
# kernels that the full build has made ahead of time. Its `reprosum gen` writes C text and says why it
# makes no objects. BUILD is a folder to build in and to keep.
set -eu
cmake=$1 sources=$2 full=$3 compiler=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${5:-$work/build}

"$cmake" -S "$sources" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DREPROSUM_LLVM=OFF \
  -DREPROSUM_BENCH=OFF
"$cmake" --build "$build" --target libreprosum.so backend_test reprosum
"$build/backend_test" --gtest_brief=1

strip -o "$work/stripped.so" "$build/libreprosum.so"
size=$(wc -c < "$work/stripped.so")
echo "libreprosum.so without LLVM: $size bytes"
[ "$size" -lt 5000000 ] || { echo "that is more than 5 MB"; exit 1; }

example=$sources/examples/linked_kernels
"$full/reprosum" gen "$example/reference.spec.json" --isa avx2,avx512,neon --name dot_kernels \
  -o "$work/kernels"
"$compiler" -I "$sources/include" -I "$work/kernels" \
  -DSPEC_FILE="\"$example/reference.spec.json\"" "$example/dot.c" "$work/kernels/dot_kernels.c" \
  "$work/kernels/dot_kernels-$(uname -m).a" "$build/libreprosum.so" -o "$work/dot"
export LD_LIBRARY_PATH="$build"
linked=$("$work/dot")
interpreted=$(REPROSUM_ISA=interpreter "$work/dot")
echo "$linked" && echo "$interpreted"
if "$full/reprosum" list | grep -Eq "avx2|neon" && echo "$linked" | grep -q "_interpreter,"; then
  echo "the linked kernels were not taken" && exit 1
fi
"$build/reprosum" gen "$example/reference.spec.json" --emit c --name dots -o "$work/text"
grep -q dots_ddot "$work/text/dots.h"
if said=$("$build/reprosum" gen "$example/reference.spec.json" --isa avx2 -o "$work/none" 2>&1); then
  echo "objects were made without LLVM" && exit 1
fi
echo "$said" | grep -q "built without LLVM"
bits() { echo "$1" | sed 's/ by [^,]*,/,/; s/, [0-9]* linked.*//'; }
[ "$(bits "$linked")" = "$(bits "$interpreted")" ] || { echo "other bits"; exit 1; }
