#!/usr/bin/env bash
# Guess:    however a sparse matrix is asked for the sum of a row, the row is added in one order.
# Truth:    three orders for one row of a CSR matrix: sum() is NumPy's pairwise sum of the stored
#           values, sum(axis=1) is first + pairwise(rest) (np.add.reduceat), and A @ ones is
#           sequential.
# Version:  SciPy 1.17.1 with NumPy 2.4.6 (wheels)
# Evidence: the orders written out in orders.py, compared on 50 random rows of 1,000 values
. "$(dirname "$0")/setup.sh"
wheels scipy scipy==1.17.1 numpy==2.4.6
with scipy <<'PYTHON'
import numpy as np
import scipy
from scipy.sparse import csr_array
from orders import always, check, pairwise, sequential

print("SciPy", scipy.__version__, "NumPy", np.__version__)
orders = {"pairwise": pairwise, "first + pairwise(rest)": lambda x: x[0] + pairwise(x[1:]),
          "sequential": sequential}
random = np.random.default_rng(1)
draws = [random.standard_normal(1000) for _ in range(50)]
row = lambda x: csr_array(x[None, :])
for what, function, wanted in (
        ("sum()", lambda x: row(x).sum(), "pairwise"),
        ("sum(axis=1)", lambda x: row(x).sum(axis=1)[0], "first + pairwise(rest)"),
        ("A @ ones", lambda x: (row(x) @ np.ones(1000))[0], "sequential")):
    found = always(function, orders, draws)
    check(f"{what}: {', '.join(sorted(found)) or 'none of the orders'}", found == {wanted})
PYTHON
