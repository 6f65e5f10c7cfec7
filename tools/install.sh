#!/usr/bin/env bash
# Installs what a build, the tests and the demo need on Debian 12 (root, or sudo). Fast when nothing
# is missing. Sourced or run; idempotent.
set -euo pipefail

build=(build-essential cmake ninja-build ccache pkg-config git lld llvm-19-dev libzstd-dev
  zlib1g-dev libxml2-dev libfmt-dev nlohmann-json3-dev libcli11-dev libssl-dev libgtest-dev
  libbenchmark-dev libmpfr-dev libgmp-dev opencl-c-headers)
# The libraries that are probed, the scripts' Python, and what single tests use.
probed=(libopenblas0-pthread libblis4-pthread libatlas3-base libblas3 libblas-test
  libopenblas64-0-pthread libblas64-3
  python3 python3-numpy python3-scipy python3-jsonschema python3-pytest python3-hypothesis
  python3-dev python3-pip)
tests=(clang libclang-rt-14-dev graphviz qemu-user gcc-aarch64-linux-gnu g++-aarch64-linux-gnu
  ocl-icd-libopencl1 pocl-opencl-icd oclgrind libclblast1)

missing=()
for package in "${build[@]}" "${probed[@]}" "${tests[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install.sh: need root for: ${missing[*]}" >&2; exit 2; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
