#!/usr/bin/env bash
# Guess:    more rows do not change how a group is added.
# Truth:    a data frame of fewer than 1,000 rows is added by Kahan's compensated summation; from
#           1,000 rows on a group is one plain chain, and less accurate.
# Version:  Polars 2.1.0 (wheel), one thread
# Evidence: both written out in orders.py, compared on 50 random columns for each size
. "$(dirname "$0")/setup.sh"
wheels polars polars==2.1.0 numpy==2.4.6
with polars POLARS_MAX_THREADS=1 <<'PYTHON'
import numpy as np
import polars as pl
from orders import always, check, kahan, sequential

print("Polars", pl.__version__)


def group_sum(x):
    frame = pl.DataFrame({"k": np.zeros(x.size, int), "x": x})
    return frame.group_by("k").agg(pl.col("x").sum())["x"][0]


random = np.random.default_rng(1)
for n in (500, 999, 1000, 2000):
    draws = [random.standard_normal(n) * 10.0 ** random.integers(-8, 8, n) for _ in range(50)]
    found = always(group_sum, {"Kahan": kahan, "sequential": sequential}, draws)
    check(f"{n} rows: {', '.join(sorted(found)) or 'none of the orders'}",
          found == {"Kahan" if n < 1000 else "sequential"})
PYTHON
