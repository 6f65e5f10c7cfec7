#!/usr/bin/env bash
# Guess:    np.dot(x, y), x @ y and np.vdot(x, y) of two vectors are one and the same call.
# Truth:    for one summand np.dot and np.inner multiply and give -0.0 for -0.0 * 1.0; @ and np.vdot
#           start from +0.0 and give +0.0. With two such summands all of them give +0.0.
# Version:  NumPy 2.4.6 (wheel, with its OpenBLAS); OPENBLAS_CORETYPE=Haswell
# Evidence: the sign bit of each result
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
with numpy OPENBLAS_CORETYPE=Haswell <<'PYTHON'
import numpy as np
from orders import check

print("NumPy", np.__version__)
products = {"np.dot": np.dot, "np.inner": np.inner, "@": np.matmul, "np.vdot": np.vdot}
for n in (1, 2):
    x, y = np.full(n, -0.0), np.ones(n)
    negative = [name for name, of in products.items() if np.signbit(of(x, y))]
    check(f"n = {n}: -0.0 from {', '.join(negative) or 'none'}",
          negative == (["np.dot", "np.inner"] if n == 1 else []))
PYTHON
