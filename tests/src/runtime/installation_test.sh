#!/bin/sh
# installation_test.sh CMAKE BUILD_DIRECTORY CONSUMER_SOURCES C_COMPILER LIBDIR EXAMPLES
# Installs into a fresh prefix and builds a small C program on it, by CMake and by pkg-config, and
# the example that brings its kernels along.
set -eu
cmake=$1 build=$2 consumer=$3 compiler=$4 libdir=$5 examples=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

for component in Runtime Development Tools; do
  "$cmake" --install "$build" --prefix "$prefix" --component $component > "$work/log" ||
    { cat "$work/log"; exit 1; }
done

for spec in "$(dirname "$0")"/../../../spec/library/*.json; do
  cmp "$spec" "$prefix/share/reprosum/library/$(basename "$spec")"
done

"$cmake" -S "$consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$work/consumer"
"$work/consumer/consumer"
REPROSUM_MODE=exact "$work/consumer/blas_consumer"

if "$build/reprosum" list --json | grep -q '"compiles": true'; then
  "$cmake" -S "$examples/linked_kernels" -B "$work/linked" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
  "$cmake" --build "$work/linked"
  linked=$("$work/linked/dot")
  echo "$linked"
  if "$build/reprosum" list | grep -q "avx2" && ! echo "$linked" | grep -q " [1-9][0-9]* linked"; then
    echo "the linked kernels were not taken" && exit 1
  fi
  interpreted=$(REPROSUM_ISA=interpreter "$work/linked/dot")
  bits() { echo "$1" | sed 's/ by [^,]*,/,/; s/, [0-9]* linked.*//'; }
  if [ "$(bits "$linked")" != "$(bits "$interpreted")" ]; then
    echo "other bits by the interpreter: $interpreted" && exit 1
  fi
  tests=$(dirname "$0")
  library=$tests/../../../spec/library/reference-3.11.0.json
  "$cmake" -S "$tests/linked_static" -B "$work/static" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DSPEC="$library" -DCALLER="$tests/../cli/linked_caller.c"
  "$cmake" --build "$work/static"
  taken=$("$work/static/caller" "$library" 2>&1 > /dev/null)
  if "$build/reprosum" list | grep -q "avx2" && [ "$taken" = 0 ]; then
    echo "the kernels of a static library were not taken" && exit 1
  fi
fi

"$cmake" -S "$examples/gpu_sums" -B "$work/gpu" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$work/gpu"
for backend in opencl cuda; do
  "$build/reprosum" list | grep -q "^$backend device" || continue
  "$work/gpu/gpu_sums" $backend "$prefix/share/reprosum/library/openblas-0.3.21-Haswell.json"
done

"$cmake" -S "$examples/capture" -B "$work/gate" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$work/gate"
target=blas:$build/libfake_sequential.so
for turn in capture verify; do  # the second run verifies what the first has captured
  "$work/gate/gate" "$target" "$work/gate.spec.json" ddot 2> "$work/log" ||
    { echo "gate failed to $turn" && cat "$work/log"; exit 1; }
done
if command -v python3 > /dev/null; then
  LD_LIBRARY_PATH="$prefix/$libdir" python3 "$examples/capture/show_order.py" \
    "$work/gate.spec.json" ddot 3 | grep -q "0 + 1 + 2"
fi

# 0.2 may break what 0.1 promised, so asking for it must fail.
if "$cmake" -S "$consumer" -B "$work/wrong" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$compiler" -DWANTED_VERSION=0.2 > /dev/null 2>&1; then
  echo "the package claims to be of version 0.2" && exit 1
fi

if command -v pkg-config > /dev/null; then
  export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
  # shellcheck disable=SC2046 # the flags are words
  "$compiler" "$consumer/consumer.c" -o "$work/by_pkg_config" $(pkg-config --cflags --libs reprosum)
  LD_LIBRARY_PATH="$prefix/$libdir" "$work/by_pkg_config"
fi
