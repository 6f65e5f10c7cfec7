#!/bin/sh
# Compiles every device text for NVIDIA's GPUs of five generations and holds the machine code
# against the text. Needs NVRTC (libnvrtc.so.13 or .12), no GPU. Takes about half an hour.
#
# tools/gpu/compile.sh BUILD_DIRECTORY [CAPABILITY...]
set -eu
build=${1:?usage: tools/gpu/compile.sh BUILD_DIRECTORY [CAPABILITY...]}
shift
[ $# -gt 0 ] || set -- 75 80 90 100 120
REPROSUM_CAPABILITIES="$*" REPROSUM_EVERY_TEXT=1 exec "$build/device_nvrtc_test"
