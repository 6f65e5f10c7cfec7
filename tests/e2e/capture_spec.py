"""Captures one library for tests that replay it: capture_spec.py BUILD LIBRARY SPEC [OPTIONS].

Every routine with any increments, by one thread, unless OPTIONS of reprosum capture say otherwise.
The tests that use SPEC look at what is refused. Everything that is captured must have generated code.
Exit code 77 skips: no such library.
"""
import os
import sys

from capture_run import capture
from kernels_listed import interpreted


def main():
    build, library, spec, *options = sys.argv[1:]
    if os.path.exists(spec):
        os.remove(spec)  # never an older one
    if not os.path.exists(library):
        print(f"skipped: {library} is not installed")
        return 77
    command = [f"{build}/reprosum", "capture", "--target", f"blas:{library}", "--seed", "2",
               "-o", spec, *options]
    code = capture(command)
    if code is not None:
        return code
    if not os.path.exists(spec):
        return 1
    slow = interpreted(build, spec)
    for row in slow:
        print("problem: left to the interpreter:", row)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
