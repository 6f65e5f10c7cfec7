"""The C text of specs, compiled by the compilers of this machine, gives the library's bits.

c_text.py BUILD PROGRAM SPEC [SPEC ...] [--calls N] [--flags FLAGS]
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("program")
    parser.add_argument("specs", nargs="+")
    parser.add_argument("--calls", default="4000")
    parser.add_argument("--flags", default="-O2")
    options = parser.parse_args()
    bad = 0
    for spec in options.specs:
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([f"{options.build}/reprosum", "gen", spec, "--emit", "c",
                                   "--name", "text", "-o", folder], capture_output=True, text=True)
            print(os.path.basename(spec), made.stdout.strip(), made.stderr.strip(), flush=True)
            if made.returncode not in (0, 1):
                return 1
            libraries = [compiled(options, folder, compiler)
                         for compiler in filter(shutil.which, ("gcc", "clang"))]
            if not all(libraries):
                return 1
            # In one process, which makes the kernels that they are compared with once.
            bad += subprocess.run([options.program, spec, "text", "1", options.calls, "7",
                                   *libraries]).returncode != 0
    return 1 if bad else 0


def compiled(options, folder, compiler):
    """The shared library of the text, or None."""
    library = os.path.join(folder, compiler + ".so")
    sources = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
               if name.endswith(".c")]
    built = subprocess.run([compiler, "-std=gnu11", "-pedantic", "-Wall", "-Wextra", "-Wconversion",
                            "-Werror", *options.flags.split(), "-shared", "-fPIC", "-o", library,
                            *sources, "-lm"])
    return library if built.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
