#!/usr/bin/env bash
# Guess:    np.add.reduceat(x, [0]) is np.sum(x).
# Truth:    it is x[0] + pairwise(x[1:]): the first summand is kept apart, and everything behind it
#           moves by one place into other accumulators. Usually the bits differ from n = 9 on.
# Version:  NumPy 2.4.6 (wheel)
# Evidence: both orders written out in orders.py, compared on 50 random vectors for each size
. "$(dirname "$0")/setup.sh"
wheels numpy numpy==2.4.6
with numpy <<'PYTHON'
import numpy as np
from orders import always, check, pairwise

print("NumPy", np.__version__)
orders = {"pairwise": pairwise, "first + pairwise(rest)": lambda x: x[0] + pairwise(x[1:])}
random = np.random.default_rng(1)
for n in (9, 100, 1000):
    draws = [random.standard_normal(n) for _ in range(50)]
    check(f"n = {n}: np.sum is pairwise", always(np.sum, orders, draws) == {"pairwise"})
    check(f"n = {n}: reduceat is first + pairwise(rest)",
          always(lambda x: np.add.reduceat(x, [0])[0], orders, draws)
          == {"first + pairwise(rest)"})
PYTHON
