#!/usr/bin/env python3
"""Is src/base/known_variables.h the list of the variables that the sources read, and does a page
say what each of them means?

    python3 tests/src/base/variables_test.py      0: yes; 1: what differs, one a line"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIST = ROOT / "src/base/known_variables.h"
READ = re.compile(r'\b(?:variable|choice|number)\(\s*"(REPROSUM_\w+)"')


def differences():
    read = {}
    for folder in ("src", "kernels", "reveal", "spec"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            for name in READ.findall(path.read_text()):
                read[name] = path.relative_to(ROOT)
    known = set(re.findall(r'"(REPROSUM_\w*[A-Z])"', LIST.read_text()))
    for name in sorted(set(read) - known):
        yield f"{read[name]} reads {name}, which known_variables.h does not list"
    for name in sorted(known - set(read)):
        yield f"known_variables.h lists {name}, which nothing reads"
    pages = "".join((ROOT / page).read_text() for page in ("src/blas/README.md", "src/cli/README.md"))
    described = re.findall(r"^\| `(REPROSUM_\w+)`", pages, re.MULTILINE)
    for name in sorted(known - set(described)):
        yield f"no table of src/blas/README.md or src/cli/README.md has {name}"


if __name__ == "__main__":
    found = list(differences())
    print("\n".join(found) if found else "all variables are listed and described")
    sys.exit(1 if found else 0)
