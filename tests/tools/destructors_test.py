#!/usr/bin/env python3
"""Does the library destroy what a late call may use?

    python3 tests/tools/destructors_test.py READELF DIRECTORY     0: no; 1: what is destroyed, one a line

A program may call while its threads and the process end: in handlers of exit(), in destructors of
its own objects and pthread keys. What has a destructor there may be dead already: so each thread_local
object goes through src/base/thread_object.h, and what is static has no destructor. This looks at the
sources, where a thread_local must be constinit, and at DIRECTORY's object files, which register what
they destroy: __cxa_thread_atexit, __cxa_atexit. With no DIRECTORY it looks at the sources alone."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("spec", "reveal", "kernels", "src/base", "src/exact", "src/runtime", "src/blas", "src/capture")
THREAD_OBJECT = "src/base/thread_object.h"
# The function of thread_object.h that may register an object of a thread.
REGISTERS = "keep_until_thread_ends"
# Destroyed on purpose, and looked at by nobody afterwards: source, how many objects.
STATIC = {
    "src/base/workers.cpp": "ends the pool's threads before the library's code goes",
}
# Programs, which end when main() does.
PROGRAMS = ("reveal/target/target_main.cpp",)
RELOCATIONS = re.compile(r"^Relocation section '\.rela?([^']*)'")


def loose_thread_locals():
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix not in (".h", ".cpp", ".c") or name == THREAD_OBJECT:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(r"\bthread_local\b", line.split("//", 1)[0]) and "constinit" not in line:
                    yield f"{name}:{number}: a thread_local that is not constinit: {line.strip()}"


def source_of(path, directory):
    """The source of an object file: CMake writes PART/CMakeFiles/TARGET.dir/SOURCE.o."""
    relative = str(path.relative_to(directory))
    return re.sub(r"CMakeFiles/[^/]*\.dir/", "", relative)[:-2]


def registrations(readelf, path):
    """(section, function that registers) for each relocation that names one."""
    section = ""
    text = subprocess.run([readelf, "--relocs", "--wide", str(path)], capture_output=True, text=True,
                          check=True).stdout
    for line in text.splitlines():
        found = RELOCATIONS.match(line)
        if found:
            section = found.group(1)
        for register in ("__cxa_thread_atexit", "__cxa_atexit"):
            if re.search(rf"\b{register}\b", line):
                yield section, register


def destroyed(readelf, directory):
    seen = 0
    for part in PARTS:
        for path in sorted((directory / part).rglob("*.o")):
            source = source_of(path, directory)
            if not source.endswith(".cpp") or source in PROGRAMS:
                continue
            seen += 1
            for section, register in registrations(readelf, path):
                if register == "__cxa_thread_atexit" and REGISTERS in section:
                    continue
                if register == "__cxa_atexit" and source in STATIC:
                    continue
                yield f"{source}: registers a destructor ({register} in {section})"
    if seen == 0:
        yield f"{directory}: no object files"


def main():
    wrong = list(loose_thread_locals())
    if len(sys.argv) > 2:
        wrong += destroyed(sys.argv[1], pathlib.Path(sys.argv[2]))
    wrong = sorted(set(wrong))
    print("\n".join(wrong) if wrong else "nothing that a late call uses is destroyed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
