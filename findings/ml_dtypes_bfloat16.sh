#!/usr/bin/env bash
# Guess:    for bfloat16 arrays x @ x and np.dot(x, x) are the same number of the same type.
# Truth:    x @ x is a float32 (3,000 for 3,000 ones); np.dot(x, x) rounds that to bfloat16 (3,008);
#           np.sum(x) rounds at every step and stays at 256.
# Version:  ml_dtypes 0.6.0 with NumPy 2.4.6 (wheels)
# Evidence: values and types of the three results
. "$(dirname "$0")/setup.sh"
wheels bfloat16 ml_dtypes==0.6.0 numpy==2.4.6
with bfloat16 <<'PYTHON'
import ml_dtypes
import numpy as np
from orders import check

print("ml_dtypes", ml_dtypes.__version__, "NumPy", np.__version__)
x = np.ones(3000, ml_dtypes.bfloat16)
for what, result, kind, wanted in (("x @ x", x @ x, "float32", 3000),
                                   ("np.dot(x, x)", np.dot(x, x), "bfloat16", 3008),
                                   ("np.sum(x)", np.sum(x), "bfloat16", 256)):
    check(f"{what}: {result.dtype} {float(result):g}",
          str(result.dtype) == kind and float(result) == wanted)
PYTHON
