#!/usr/bin/env bash
# Guess:    sdot, the dot product in single precision, adds in single precision.
# Truth:    it does for all but the last n mod 32 products, which are rounded to float and then added
#           in double. So the same three numbers that cancel give 1 in the tail and 0 in front of it.
# Version:  OpenBLAS 0.3.21 (Debian's libopenblas0-pthread 0.3.21+ds-4); OPENBLAS_CORETYPE=Haswell
# Evidence: 2^24 + 1 - 2^24 in both places, and 200 random tails against double and float chains
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
debian libopenblas0-pthread=0.3.21+ds-4
with numpy OPENBLAS_CORETYPE=Haswell ROOT="$work/root" <<'PYTHON'
import numpy as np
import openblas
from orders import check

print(openblas.version, openblas.core)
f = np.float32
tail, body = np.zeros(35, f), np.zeros(96, f)
tail[32:] = body[[0, 32, 64]] = [2**24, 1, -2**24]  # body: all three in one accumulator
check(f"in the tail: {openblas.dot(tail, np.ones(35, f)):g}", openblas.dot(tail, np.ones(35, f)) == 1)
check(f"before it: {openblas.dot(body, np.ones(96, f)):g}", openblas.dot(body, np.ones(96, f)) == 0)


def chain(x, y, kind):
    s = kind(0)
    for product in x * y:
        s = kind(s + kind(product))
    return f(s)


random = np.random.default_rng(1)
draws = [random.standard_normal((2, 31)).astype(f) for _ in range(200)]
for kind, wanted in ((np.float64, 200), (f, None)):
    same = sum(openblas.dot(x, y) == chain(x, y, kind) for x, y in draws)
    check(f"31 products are a chain of {kind.__name__} in {same} of 200 draws",
          same == wanted if wanted else same < 200)
PYTHON
