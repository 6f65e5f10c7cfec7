"""An exec: target for tests, without NumPy; what it does wrong is its first argument."""
import array
import os
import struct
import sys
import time

vice = sys.argv[1]
source, sink = sys.stdin.buffer, sys.stdout.buffer


def hello(version=1, flags=1, magic=b"REPROSUM"):
    text = b"language=python\nvice=" + vice.encode() + b"\nno equals sign\n"
    served = [(0, 0), (0, 1), (1, 0), (1, 1)]
    if vice == "dot_only":
        served = served[2:]
    sink.write(struct.pack("<8s4I", magic, version, flags, len(served), len(text)))
    for pair in served:
        sink.write(struct.pack("<2I", *pair))
    sink.write(text)
    sink.flush()


if vice == "silent":
    time.sleep(60)
if vice == "no_hello":
    print("Hello, world!", flush=True)
    time.sleep(60)
if vice == "dies_at_start":
    sys.exit("I cannot start: no such module")
hello(version=2 if vice == "version" else 1, flags=0 if vice == "unit_increments" else 1)
if vice == "chatty":
    os.write(2, b"noise " * 100000)

while True:
    header = source.read(56)
    if len(header) < 56:
        break
    routine, kind, n, incx, incy, rows, x_stride, y_stride = struct.unpack("<2I6q", header)
    code, size = ("f", 4) if kind == 0 else ("d", 8)
    x = array.array(code, source.read(rows * x_stride * size))
    y = array.array(code, source.read(rows * y_stride * size))
    if vice == "reads_nothing_more" and n > 4:
        time.sleep(60)

    def term(vector, stride, row, k, inc):
        return vector[row * stride + (k * inc if inc >= 0 else (k + 1 - n) * inc)]

    out = array.array(code)
    for row in range(rows):
        total = 0.0
        for k in range(n):
            factor = term(y, y_stride, row, k, incy) if routine == 1 else 1.0
            total += term(x, x_stride, row, k, incx) * factor
        out.append(total)
    if n >= 13:
        if vice == "crash":
            os.kill(os.getpid(), 11)
        if vice == "illegal":
            os.kill(os.getpid(), 4)
        if vice == "exit":
            sys.exit(0)
        if vice == "hang":
            time.sleep(60)
        if vice == "short":
            sink.write(struct.pack("<4sIq", b"RPLY", 0, rows) + out.tobytes()[:-1])
            sink.flush()
            sys.exit(0)
        if vice == "long":
            sink.write(struct.pack("<4sIq", b"RPLY", 0, rows) + out.tobytes() + b"!")
            sink.flush()
            continue
        if vice == "count":
            sink.write(struct.pack("<4sIq", b"RPLY", 0, rows + 1) + out.tobytes() + bytes(size))
            sink.flush()
            continue
        if vice == "nonsense":
            print("a debugging line", flush=True)
        if vice == "refuses":
            text = b"13 is unlucky"
            sink.write(struct.pack("<4sIq", b"RPLY", 1, len(text)) + text)
            sink.flush()
            continue
    sink.write(struct.pack("<4sIq", b"RPLY", 0, rows) + out.tobytes())
    sink.flush()
