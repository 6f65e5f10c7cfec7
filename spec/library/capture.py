#!/usr/bin/env python3
"""Captures the specs of this folder anew: capture.py BUILD [NAME...]; without a NAME, all of them.

A core type that this processor cannot run is left out, and so is what is not installed (Debian 12:
libopenblas0-pthread, libblis4-pthread, libblas3, python3-numpy).
"""
import argparse
import os
import subprocess
import sys

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
OPENBLAS = f"blas:{LIBRARIES}/openblas-pthread/libopenblas.so.0"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1"}
SPECS = {  # the target, its environment, and the routines if not all that it has
    **{f"openblas-0.3.21-{core}": (OPENBLAS, {"OPENBLAS_CORETYPE": core}, "")
       for core in ("Haswell", "Zen", "SkylakeX", "Cooperlake", "Nehalem")},
    "blis-0.9.0-haswell": (f"blas:{LIBRARIES}/blis-pthread/libblas.so.3", {"BLIS_ARCH_TYPE": "3"},
                           "sdot,ddot,sgemv,dgemv"),
    "reference-3.11.0": (f"blas:{LIBRARIES}/blas/libblas.so.3", {}, ""),
    "numpy-1.24-sum": ("exec:/usr/bin/python3 tools/targets/numpy_target.py sum", {}, "ssum,dsum"),
}
REFUSED = 1  # capture's exit code where a part was refused and the rest written


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for name in options.names:
        if name not in SPECS:
            parser.error(f"{name} is none of {', '.join(SPECS)}")
    folder = os.path.dirname(os.path.abspath(__file__))
    failed = []
    for name in options.names or SPECS:
        target, environment, routines = SPECS[name]
        command = [f"{options.build}/reprosum", "capture", "-t", target, "--seed", "1",
                   "-o", os.path.join(folder, f"{name}.json")]
        if routines:
            command += ["--routines", routines]
        code = subprocess.run(command, env={**os.environ, **ONE_THREAD, **environment},
                              cwd=os.path.join(folder, "../..")).returncode
        if code not in (0, REFUSED):
            failed.append(name)
    if failed:
        print("not captured:", ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
