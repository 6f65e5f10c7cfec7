"""Runs a capture for a test."""
import subprocess
import sys

SKIPPED = 77  # what CTest takes for a skip


def capture(arguments):
    """None if a spec was written; else the exit code of the test, whose reason is printed.

    A library that was told to run kernels of a processor that this is not (OPENBLAS_CORETYPE) is no
    fault of ours."""
    ran = subprocess.run(arguments, stderr=subprocess.PIPE, text=True)
    sys.stderr.write(ran.stderr)
    if ran.returncode in (0, 1):
        return None
    if "illegal_instruction" in ran.stderr:
        print("skipped: this processor lacks instructions of the core that the library was told to use")
        return SKIPPED
    print(f"capture ended with {ran.returncode}")
    return 1
