#!/usr/bin/env bash
# Guess:    dsum over a vector with increment -1 is the sum read backwards, as ddot reads it.
# Truth:    for an increment of zero or less OpenBLAS's dsum returns 0.0 and reads nothing.
# Version:  OpenBLAS 0.3.21 (Debian's libopenblas0-pthread 0.3.21+ds-4)
# Evidence: dsum of nine numbers whose sum is 45, with increments 1, 0, -1 and -2
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
debian libopenblas0-pthread=0.3.21+ds-4
with numpy OPENBLAS_CORETYPE=Haswell ROOT="$work/root" <<'PYTHON'
import numpy as np
import openblas
from orders import check

print(openblas.version, openblas.core)
x = np.arange(1.0, 10.0)
for n, increment, wanted in ((9, 1, 45), (9, 0, 0), (9, -1, 0), (4, -2, 0)):
    found = openblas.add(x, n, increment)
    check(f"dsum, n = {n}, increment {increment}: {found:g}", found == wanted)
PYTHON
