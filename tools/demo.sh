#!/usr/bin/env bash
# The main job on real input: capture the sum and dot of the installed OpenBLAS on two of its cores,
# look at an order, compare the cores, and replay every captured context of both, bit for bit. The
# columns of the table are explained in bench/README.md.
#   bash tools/demo.sh                     results stay under build/demo/
#   REPROSUM_DEMO_LIBRARY=libblis.so.4 bash tools/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/install.sh
launcher=()
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # one clone's objects serve the next
export CCACHE_SLOPPINESS=pch_defines,time_macros  # or it leaves files with precompiled headers alone
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
echo "building (the first time takes some minutes) ..."
cmake --preset release "${launcher[@]}" >/dev/null
cmake --build --preset release --target reprosum_cli replay_table | tail -n 1

library=${REPROSUM_DEMO_LIBRARY:-libopenblas.so.0}
reprosum=build/release/reprosum
routines=dsum,ddot
out=build/demo
mkdir -p "$out"
step() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
start=$SECONDS

step "capture $library as it runs here, with one and two threads"
env -u OPENBLAS_CORETYPE "$reprosum" capture --target "blas:$library" --routines "$routines" --threads 1,2 -o "$out/native.spec.json" || [ $? -eq 1 ]
step "capture $library with OPENBLAS_CORETYPE=Haswell"
OPENBLAS_CORETYPE=Haswell "$reprosum" capture --target "blas:$library" --routines "$routines" --threads 1,2 -o "$out/haswell.spec.json" || [ $? -eq 1 ]

step "one order: ddot of the Haswell core, n = 37 (picture: $out/ddot.svg)"
"$reprosum" show "$out/haswell.spec.json" --routine ddot
"$reprosum" show "$out/haswell.spec.json" --routine ddot --n 37 --format svg -o "$out/ddot.svg"

step "where do the two cores part first?"
"$reprosum" diff "$out/native.spec.json" "$out/haswell.spec.json" || [ $? -eq 1 ]

step "replay of every context: kernels and interpreter against the library, 20000 vectors per routine"
env -u OPENBLAS_CORETYPE build/release/replay_table "$out/native.spec.json" --target "blas:$library" --vectors 20000
OPENBLAS_CORETYPE=Haswell build/release/replay_table "$out/haswell.spec.json" --target "blas:$library" --vectors 20000 --no-header

printf '\ndone in %d s after the build; specs and picture lie in %s/\n' $((SECONDS - start)) "$out"
printf 'to install: cmake --build --preset release --target installed && cmake --install build/release --prefix PREFIX\n'
