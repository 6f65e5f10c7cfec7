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
    flags = ["-std=gnu11", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror",
             *options.flags.split(), "-fPIC"]
    # File by file, and from inside the folder: so that ccache knows text that has not changed.
    command = [compiler] if shutil.which("ccache") is None else ["ccache", compiler]
    objects = []
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".c")):
        objects.append(f"{compiler}-{name}.o")
        if subprocess.run([*command, *flags, "-c", name, "-o", objects[-1]],
                          cwd=folder).returncode != 0:
            return None
    library = os.path.join(folder, compiler + ".so")
    linked = subprocess.run([compiler, "-shared", "-o", library, *objects, "-lm"], cwd=folder)
    return library if linked.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
