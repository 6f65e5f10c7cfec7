#!/usr/bin/python3
"""An exec: target that serves torch.sum on the CPU, f32 and f64 (protocol: reveal/target/README.md).

reprosum capture --target "exec:python3 torch_target.py [THREADS]" --routines ssum,dsum

PyTorch's sum depends on the number of threads and on the vectors it uses (ATEN_CPU_CAPABILITY);
both are among the facts that the spec records. Without THREADS, OMP_NUM_THREADS says it.
"""
import struct
import sys

import torch

SUM = 0
if len(sys.argv) > 1:
    torch.set_num_threads(int(sys.argv[1]))
config = torch.__config__.show().splitlines()
capability = next((line.split(":")[1].strip() for line in config if "CPU capability" in line), "?")
source, sink = sys.stdin.buffer, sys.stdout.buffer
facts = (f"torch={torch.__version__}\nfunction=sum\nthreads={torch.get_num_threads()}\n"
         f"capability={capability}\n").encode()
sink.write(struct.pack("<8s4I4I", b"REPROSUM", 1, 0, 2, len(facts), SUM, 0, SUM, 1) + facts)
sink.flush()
room = torch.empty(64, dtype=torch.uint8)  # reused: fresh pages cost more than small sums
with torch.inference_mode():
    while header := source.read(56):
        _, kind, n, _, _, rows, x_stride, _ = struct.unpack("<2I6q", header)
        dtype = (torch.float32, torch.float64)[kind]
        size = rows * x_stride * (4, 8)[kind]
        if room.numel() < size + 64:
            room = torch.empty(size + 64, dtype=torch.uint8)
        data = room[-room.data_ptr() % 64:][:size]  # rows are then 64-byte aligned
        if source.readinto(memoryview(data.numpy())) < size:
            break
        x = data.view(dtype).reshape(rows, x_stride)[:, :n]
        result = torch.stack([torch.sum(row) for row in x]) if rows else torch.empty(0, dtype=dtype)
        sink.write(struct.pack("<4sIq", b"RPLY", 0, rows) + result.numpy().tobytes())
        sink.flush()
