#!/usr/bin/env bash
# Guess:    np.sum has one pairwise order, the same in every release of NumPy.
# Truth:    NumPy 1.24 adds blocks of 8,192 doubles one after the other, each pairwise; NumPy 2.4 is
#           pairwise over the whole vector. The bits part at n = 8,193.
# Version:  NumPy 1.24.4 and 2.4.6 (wheels; 1.24 needs Python 3.11 or older)
# Evidence: both orders written out below, compared on 20 random vectors for each size
. "$(dirname "$0")/setup.sh"
wheels old numpy==1.24.4
wheels new numpy==2.4.6
for folder in old new; do
  with "$folder" <<'PYTHON'
import numpy as np
from orders import always, check, pairwise, sequential


def blocks(x):
    return sequential([pairwise(x[i:i + 8192]) for i in range(0, len(x), 8192)])


print("NumPy", np.__version__)
random = np.random.default_rng(1)
one = "blocks of 8192" if np.__version__ == "1.24.4" else "pairwise"
for n in (8192, 8193, 20000):
    draws = [random.standard_normal(n) for _ in range(20)]
    found = always(np.sum, {"pairwise": pairwise, "blocks of 8192": blocks}, draws)
    check(f"n = {n}: {', '.join(sorted(found))}",
          found == ({"pairwise", "blocks of 8192"} if n <= 8192 else {one}))
PYTHON
done
