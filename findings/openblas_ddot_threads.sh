#!/usr/bin/env bash
# Guess:    the number of threads matters for matrices, not for a dot product.
# Truth:    above n = 10,000 ddot is cut into one part for each thread: with two threads the bits are
#           those of ddot(first half) + ddot(second half). At n = 10,000 and below they do not change.
#           sdot has no threads in this build.
# Version:  OpenBLAS 0.3.21 (Debian's libopenblas0-pthread 0.3.21+ds-4); OPENBLAS_CORETYPE=Haswell,
#           on a machine with two processors or more
# Evidence: one and two threads on 50 random pairs of vectors for each size, and the two halves
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
debian libopenblas0-pthread=0.3.21+ds-4
with numpy OPENBLAS_CORETYPE=Haswell ROOT="$work/root" <<'PYTHON'
import numpy as np
import openblas
from orders import check

print(openblas.version, openblas.core)


def with_threads(count, x, y):
    openblas.library.openblas_set_num_threads(count)
    return openblas.dot(x, y)


random = np.random.default_rng(1)
for kind in (np.float64, np.float32):
    for n in (10000, 10001):
        half, moved, halves = (n + 1) // 2, 0, 0
        for _ in range(50):
            x, y = random.standard_normal((2, n)).astype(kind)
            one, two = with_threads(1, x, y), with_threads(2, x, y)
            parts = with_threads(1, x[:half], y[:half]) + with_threads(1, x[half:], y[half:])
            moved += one != two
            halves += two == parts
        name = "ddot" if kind is np.float64 else "sdot"
        cut = kind is np.float64 and n > 10000
        check(f"{name} n = {n}: {moved} of 50 results change with a second thread",
              moved > 25 if cut else moved == 0)
        if cut:
            check(f"{name} n = {n}: {halves} of 50 are the sum of two halves", halves == 50)
PYTHON
