#!/usr/bin/python3
"""An exec: target that serves jnp.sum or jnp.dot on the CPU, f32 and f64
(protocol: reveal/target/README.md).

reprosum capture --target "exec:python3 jax_target.py [sum|dot]" --routines ssum,dsum

XLA compiles a program for each n, which takes up to some tenths of a second: captures take minutes.
"""
import os
import struct
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jaxlib  # noqa: E402
import numpy as np  # noqa: E402

SUM, DOT = 0, 1
SERVED = {"sum": (SUM, jax.jit(jnp.sum)), "dot": (DOT, jax.jit(jnp.dot))}
routine, function = SERVED[sys.argv[1] if len(sys.argv) > 1 else "sum"]
source, sink = sys.stdin.buffer, sys.stdout.buffer
facts = (f"jax={jax.__version__}\njaxlib={jaxlib.__version__}\n"
         f"function={sys.argv[1] if len(sys.argv) > 1 else 'sum'}\n").encode()
sink.write(struct.pack("<8s4I4I", b"REPROSUM", 1, 0, 2, len(facts), routine, 0, routine, 1) + facts)
sink.flush()
compiled_sizes = set()
while header := source.read(56):
    _, kind, n, _, _, rows, x_stride, y_stride = struct.unpack("<2I6q", header)
    dtype = np.dtype((np.float32, np.float64)[kind])
    size = rows * (x_stride + y_stride) * dtype.itemsize
    data = source.read(size)
    if len(data) < size:
        break
    operands = np.frombuffer(data, dtype)
    x = operands[:rows * x_stride].reshape(rows, x_stride)[:, :n]
    y = operands[rows * x_stride:].reshape(rows, y_stride)[:, :n]
    compiled_sizes.add((kind, n))
    # Compiled programs are kept until they are cleared: some at a time, for thousands take so long
    # that the target seems to hang.
    if len(compiled_sizes) > 100:
        compiled_sizes.clear()
        jax.clear_caches()
    # jnp.asarray copies into a buffer of XLA's own, which is aligned always the same way.
    pairs = zip(x) if routine == SUM else zip(x, y)
    results = [function(*(jnp.asarray(v) for v in row)) for row in pairs]
    result = np.array([np.asarray(v) for v in results], dtype)
    sink.write(struct.pack("<4sIq", b"RPLY", 0, rows) + result.tobytes())
    sink.flush()
