# Sourced by each finding: a folder of its own, and pinned packages in it. Nothing is installed on the
# machine, and nothing stays.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
# What a user has set for another purpose would choose kernels here.
unset OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS OMP_NUM_THREADS LD_PRELOAD

# wheels FOLDER PACKAGE==VERSION...: wheels alone, so that no compiler changes the bits.
wheels() {
  local folder=$1
  shift
  python3 -m pip install --quiet --no-warn-conflicts --only-binary=:all: --target "$work/$folder" "$@"
}

# debian PACKAGE=VERSION...: unpacked below $work/root, with the packages' paths.
debian() {
  (cd "$work" && apt-get download -o APT::Sandbox::User=root --quiet=2 "$@")
  local package
  for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
}

# with FOLDER [VARIABLE=VALUE...]: the Python program on standard input, with those wheels.
with() {
  local folder=$1
  shift
  env "$@" PYTHONPATH="$work/$folder:$here" python3 -
}
