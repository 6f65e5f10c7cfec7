#!/usr/bin/env bash
# Guess:    half-precision products and sums of NumPy are all added in the same precision.
# Truth:    A @ B and a sum along the last axis add 7,048 ones to 7,048 (in float). einsum over the
#           middle index, a sum over the first axis and cumsum round to half precision at every step
#           and stay at 2,048, where adding 1 no longer changes the number.
# Version:  NumPy 2.4.6 (wheel)
# Evidence: the results for matrices of ones, whose exact result 7,048 is a half-precision number
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
with numpy <<'PYTHON'
import numpy as np
from orders import check

print("NumPy", np.__version__)
A, B = np.ones((4, 7048), np.float16), np.ones((7048, 4), np.float16)
for what, result, wanted in (
        ("A @ B", (A @ B)[0, 0], 7048),
        ("A.sum(axis=1)", A.sum(axis=1)[0], 7048),
        ("einsum('i,i->')", np.einsum("i,i->", A[0], A[0]), 7048),
        ("einsum('ij,jk->ik')", np.einsum("ij,jk->ik", A, B)[0, 0], 2048),
        ("B.sum(axis=0)", B.sum(axis=0)[0], 2048),
        ("np.cumsum", np.cumsum(A[0])[-1], 2048)):
    check(f"{what}: {float(result):g}", float(result) == wanted)
PYTHON
