#!/usr/bin/python3
"""An exec: target that serves one NumPy reduction, f32 and f64 (protocol: reveal/target/README.md).

reprosum capture --target "exec:/usr/bin/python3 numpy_target.py [sum|dot|einsum-sum|einsum-dot]"
"""
import struct
import sys

import numpy as np

SUM, DOT = 0, 1
SERVED = {"sum": (SUM, np.sum), "dot": (DOT, np.dot),
          "einsum-sum": (SUM, lambda x: np.einsum("i->", x)),
          "einsum-dot": (DOT, lambda x, y: np.einsum("i,i->", x, y))}
routine, function = SERVED[sys.argv[1] if len(sys.argv) > 1 else "sum"]
source, sink = sys.stdin.buffer, sys.stdout.buffer
facts = f"numpy={np.__version__}\nfunction={' '.join(sys.argv[1:]) or 'sum'}\n".encode()
sink.write(struct.pack("<8s4I4I", b"REPROSUM", 1, 0, 2, len(facts), routine, 0, routine, 1) + facts)
sink.flush()
room = np.empty(64, np.uint8)  # reused: fresh pages cost more than small sums
while header := source.read(56):
    _, kind, n, _, _, rows, x_stride, y_stride = struct.unpack("<2I6q", header)
    dtype = np.dtype((np.float32, np.float64)[kind])
    size = rows * (x_stride + y_stride) * dtype.itemsize
    if room.size < size + 64:
        room = np.empty(size + 64, np.uint8)
    data = room[-room.ctypes.data % 64:][:size]  # rows are then 64-byte aligned
    if source.readinto(data) < data.size:
        break
    operands = data.view(dtype)
    x = operands[:rows * x_stride].reshape(rows, x_stride)[:, :n]
    y = operands[rows * x_stride:].reshape(rows, y_stride)[:, :n]
    pairs = zip(x) if routine == SUM else zip(x, y)
    result = np.fromiter((function(*row) for row in pairs), dtype, rows)
    sink.write(struct.pack("<4sIq", b"RPLY", 0, rows) + result.tobytes())
    sink.flush()
