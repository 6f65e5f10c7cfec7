#!/usr/bin/env bash
# Guess:    OPENBLAS_CORETYPE=SapphireRapids either pins these kernels or is an error.
# Truth:    this build does not know the name, nor any misspelt one, and takes the kernels that it
#           would have taken without the variable. Nothing is said. Only openblas_get_corename()
#           tells which kernels run; case does not matter.
# Version:  OpenBLAS 0.3.21 (Debian's libopenblas0-pthread 0.3.21+ds-4)
# Evidence: openblas_get_corename() with and without the variable, and what is written to stderr
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
debian libopenblas0-pthread=0.3.21+ds-4
core() { with numpy "$@" ROOT="$work/root" 2>&1 <<<'import openblas; print(openblas.core)'; }
unset_core=$(core)
printf 'OpenBLAS 0.3.21 without the variable: %s\n' "$unset_core"
status=0
expect() {
  local found
  found=$(core "OPENBLAS_CORETYPE=$1")
  if [ "$found" = "$2" ]; then
    printf 'as found  OPENBLAS_CORETYPE=%s: %s\n' "$1" "$found"
  else
    printf 'CHANGED   OPENBLAS_CORETYPE=%s: %s\n' "$1" "$found"
    status=1
  fi
}
expect SapphireRapids "$unset_core"
expect Haswel "$unset_core"
expect Prescott Prescott
expect haswell Haswell
exit $status
