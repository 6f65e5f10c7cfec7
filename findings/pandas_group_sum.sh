#!/usr/bin/env bash
# Guess:    the sum of a group depends on the rows of that group.
# Truth:    it also depends on the other groups. With sorted keys a group is added in the order
#           first + pairwise(rest); where the keys are not sorted, or a NaN stands anywhere in the
#           column, even in another group, every group is added by Kahan's compensated summation.
# Version:  pandas 3.1.1 with NumPy 2.4.6 (wheels)
# Evidence: the orders written out in orders.py, compared on 50 random groups of 999 rows, while only
#           a row of another group changes
. "$(dirname "$0")/setup.sh"
wheels pandas pandas==3.1.1 numpy==2.4.6
with pandas <<'PYTHON'
import numpy as np
import pandas as pd
from orders import always, check, kahan, pairwise

print("pandas", pd.__version__, "NumPy", np.__version__)
orders = {"Kahan": kahan, "first + pairwise(rest)": lambda x: x[0] + pairwise(x[1:])}
random = np.random.default_rng(1)
draws = [random.standard_normal(999) * 10.0 ** random.integers(-8, 8, 999) for _ in range(50)]


def group(other_key, other_value):
    """The sum of group 1, where one more row belongs to another group."""
    def of(x):
        first = other_key < 1
        keys = np.r_[[other_key] * first, np.ones(x.size), [other_key] * (not first)]
        values = np.r_[[other_value] * first, x, [other_value] * (not first)]
        return pd.DataFrame({"k": keys, "x": values}).groupby("k")["x"].sum().loc[1]
    return of


def unsorted(x):
    keys = np.r_[2.0, np.ones(x.size)]
    return pd.DataFrame({"k": keys, "x": np.r_[5.0, x]}).groupby("k")["x"].sum().loc[1]


for what, function, wanted in (
        ("another group before it", group(0.0, 5.0), "first + pairwise(rest)"),
        ("another group behind it", group(2.0, 5.0), "first + pairwise(rest)"),
        ("a NaN in another group", group(2.0, np.nan), "Kahan"),
        ("keys that are not sorted", unsorted, "Kahan")):
    found = always(function, orders, draws)
    check(f"{what}: {', '.join(sorted(found)) or 'none of the orders'}", found == {wanted})
PYTHON
