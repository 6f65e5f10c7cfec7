#!/usr/bin/env bash
# Guess:    A @ A.T has the bits of A @ B with B = A.T.copy().
# Truth:    NumPy sees that both operands are one array and calls syrk in place of gemm. With an odd
#           number of rows bits differ: A @ A.T is symmetric bit for bit, the product with the copy
#           is not. With 100 rows, whole tiles of both kernels, they agree.
# Version:  NumPy 2.4.6 (wheel, with its OpenBLAS); OPENBLAS_CORETYPE=Haswell, one thread
# Evidence: both products of one random matrix, compared bit by bit
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
with numpy OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 <<'PYTHON'
import numpy as np
from orders import check

print("NumPy", np.__version__)
random = np.random.default_rng(3)
for n, k in ((37, 300), (41, 100), (101, 600), (100, 600)):
    A = random.standard_normal((n, k))
    with_itself, with_copy = A @ A.T, A @ A.T.copy()
    differ = int((with_itself != with_copy).sum())
    odd = n % 2 == 1
    check(f"{n} x {k}: {differ} of {n * n} outputs differ", (differ > 0) == odd)
    check(f"{n} x {k}: A @ A.T is symmetric", (with_itself == with_itself.T).all())
    check(f"{n} x {k}: the product with the copy is {'not ' * odd}symmetric",
          (with_copy == with_copy.T).all() != odd)
PYTHON
