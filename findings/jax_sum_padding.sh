#!/usr/bin/env bash
# Guess:    a sum that is padded to whole windows gets its zeros at the end.
# Truth:    on the CPU jnp.sum adds windows of 32, and the padding is halved between both ends: 70
#           numbers are windows of 19, 32 and 19. Each window is one chain, and the sums of the
#           windows are added in the same way.
# Version:  JAX 0.10.2 with jaxlib 0.10.2 (wheels), CPU
# Evidence: both paddings written out below, compared on 20 random vectors for each size
. "$(dirname "$0")/setup.sh"
wheels jax jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
with jax JAX_PLATFORMS=cpu JAX_ENABLE_X64=1 <<'PYTHON'
import jax
import jax.numpy as jnp
import numpy as np
from orders import always, check, sequential


def windows(front):
    """front(padding) zeros stand before the numbers, the rest behind them."""
    def of(x):
        if len(x) <= 32:
            return sequential([0.0] + x)
        padding = -len(x) % 32
        padded = [0.0] * front(padding) + x + [0.0] * (padding - front(padding))
        return of([of(padded[i:i + 32]) for i in range(0, len(padded), 32)])
    return of


print("JAX", jax.__version__)
orders = {"both ends": windows(lambda p: p // 2), "the end": windows(lambda p: 0),
          "one chain": sequential}
random = np.random.default_rng(1)
for n in (70, 100, 1000):
    draws = [random.standard_normal(n) for _ in range(20)]
    found = always(jnp.sum, orders, draws)
    check(f"n = {n}: padded at {', '.join(sorted(found)) or 'neither'}", found == {"both ends"})
PYTHON
