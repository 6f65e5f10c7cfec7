"""Every spec of a folder opens, has the hash that it states, leaves nothing to the interpreter, has
kernels for devices, and holds for the library it is of.

library_specs.py BUILD FOLDER [--calls N]

Where the library's file is the one that was captured, so many random calls of the drop-in that
replays the spec are compared with the library's (degenerate_calls); of a program that was captured
(NumPy) the sums are verified. What is not here, is another version, or needs another processor is
noted.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import sys

from kernels_listed import interpreted, not_on_devices

PREFIX = "environment."  # of the variables in a spec's provenance
SAYS = "says."  # of functions that the library was asked by
NOT_HERE = "not compared: "


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("folder")
    parser.add_argument("--calls", default="4000")
    options = parser.parse_args()
    files = sorted(glob.glob(os.path.join(options.folder, "*.json")))
    problems = [] if files else [f"no spec in {options.folder}"]
    for file in files:
        with open(file) as text:
            spec = json.load(text)
        name = os.path.basename(file)
        said = output([f"{options.build}/reprosum", "hash", file])
        if spec["sha256"] not in said:
            problems.append(f"{name}: states the hash {spec['sha256']}, has {said.strip()}")
        problems += [f"{name}: {row}" for row in interpreted(options.build, file)]
        problems += [f"{name}: {row}" for row in not_on_devices(options.build, file)]
        line = compare(options, file, spec)
        print(f"{name}: {line}", flush=True)
        if not line.startswith((NOT_HERE, "holds")):
            problems.append(f"{name}: {line}")
    for problem in problems:
        print("problem:", problem)
    return 1 if problems else 0


def compare(options, file, spec):
    """"holds ...", why nothing was compared, or the first fault."""
    known = spec["provenance"]
    own = {key.removeprefix(PREFIX): value for key, value in known.items()
           if key.startswith(PREFIX)}
    environment = {**os.environ, **own, "OPENBLAS_NUM_THREADS": "1", "REPROSUM_SPEC": file,
                   "REPROSUM_ISA": "interpreter"}
    if "library.path" not in known:
        return verify(options, file, known, environment)
    library = known["library.path"]
    if not os.path.exists(library):
        return NOT_HERE + f"there is no {library}"
    with open(library, "rb") as binary:
        if hashlib.sha256(binary.read()).hexdigest() != known["library.sha256"]:
            return NOT_HERE + f"{library} is another version"
    others = [f"{known[key]} there, {here} here" for key, here in says(library, known, environment)
              if here != known[key]]
    if others:  # a core type that this processor lacks is another one here
        return NOT_HERE + f"the library is {', '.join(others)}"
    kinds = {(entry["type"], entry["routine"]) for entry in spec["entries"]}
    routines = sorted({"f32": "s", "f64": "d"}[kind] + routine for kind, routine in kinds)
    ran = subprocess.run([f"{options.build}/degenerate_calls",
                          f"{options.build}/libreprosum_blas.so", library, ",".join(routines),
                          options.calls, "13"], env=environment, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    if ran.returncode == -signal.SIGILL:
        return NOT_HERE + "this processor lacks instructions of the core type"
    outputs = re.search(r"^all: (\d+) outputs$", ran.stdout, re.M)
    if ran.returncode != 0 or outputs is None or int(outputs.group(1)) == 0:
        return f"ended with {ran.returncode}:\n{ran.stdout}"
    return f"holds in {outputs.group(1)} outputs of {', '.join(routines)}"


def says(library, known, environment):
    """What the library says of itself in such an environment, by the keys of the provenance."""
    keys = sorted(key for key in known if key.startswith(SAYS))
    ask = ("import ctypes, sys\n"
           "library = ctypes.CDLL(sys.argv[1])\n"
           "for name in sys.argv[2:]:\n"
           "    function = library[name]\n"
           "    function.restype = ctypes.c_char_p\n"
           "    print(function().decode())\n")
    said = subprocess.run([sys.executable, "-c", ask, library]
                          + [key.removeprefix(SAYS) for key in keys],
                          env=environment, capture_output=True, text=True)
    return zip(keys, said.stdout.splitlines())


def verify(options, file, known, environment):
    module = known["target"].split("targets/")[1].split("_target")[0]
    version = [value for key, value in known.items() if key == f"says.{module}"]
    said = subprocess.run(["/usr/bin/python3", "-c", f"import {module}; print({module}.__version__)"],
                          capture_output=True, text=True).stdout.split()
    if said != version:
        return NOT_HERE + f"{module} is {said or 'not installed'}, was {version}"
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    code = subprocess.run([f"{options.build}/reprosum", "verify", file, "--target", known["target"],
                           "--vectors", "200"], env=environment, cwd=root,
                          stdout=subprocess.DEVNULL).returncode
    return f"holds for {module} {version[0]}" if code == 0 else f"verify ended with {code}"


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
