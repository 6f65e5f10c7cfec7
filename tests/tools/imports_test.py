#!/usr/bin/env python3
"""Do all includes run the way that README.md and the parts' CMakeLists.txt allow?

    python3 tests/tools/imports_test.py      0: yes; 1: the includes that do not, one a line

A file belongs to the longest path of MAY_KNOW that it lies under, or is but for its ending. It may include headers of its own
part, of those that the table lists for it, and of what those may know. include/ is open to all. The
table itself must have no circle."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXACT = "src/exact/"
MAY_KNOW = {
    "spec": [],
    "src/base": [],
    "spec/evaluate": ["spec", "src/base"],
    "reveal/target": ["spec", "src/base"],
    "reveal": ["reveal/target"],
    "reveal/tree": ["reveal"],
    "reveal/infer": ["reveal"],
    "reveal/region": ["reveal"],
    "reveal/check": ["reveal", "spec/evaluate"],
    "reveal/matrix": ["reveal/tree", "reveal/infer", "reveal/check"],
    "reveal/capture": ["reveal/matrix", "reveal/region"],
    "kernels": ["spec/evaluate"],
    "src/exact/machine": ["src/base"],
    "src/exact/values": [EXACT + "machine"],
    "src/exact/sums": [EXACT + "values"],
    "src/exact/entries": [EXACT + "sums"],
    "src/exact/remainders": [EXACT + "entries"],
    "src/exact/products": [EXACT + "remainders"],
    "src/exact/solve": [EXACT + "products"],
    "src/exact/factor": [EXACT + "solve"],
    "src/runtime": ["kernels", EXACT + "factor"],
    "src/blas": ["src/runtime"],
    "src/report/wording": ["spec", "src/base"],
    "src/report/picture": ["src/report/wording"],
    "src/report": ["kernels", "reveal/capture", "src/report/picture"],
    "src/cli": ["src/runtime", "src/report"],
    "src/capture": ["src/runtime", "src/report"],
    "src/python": [],  # knows the C API alone
}
OPEN = ("include/", "reprosum/")
# doctor says what the drop-in would read.
EXCEPTIONS = {("src/cli/doctor_variables.cpp", "src/blas/settings.h")}
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def part_of(path):
    """The part a path from the root lies in, or None."""
    under = [part for part in MAY_KNOW if path.startswith((part + "/", part + "."))]
    return max(under, key=len) if under else None


def known_to(part, seen=()):
    """All parts whose headers `part` may include."""
    if part in seen:
        sys.exit(f"the table has a circle through {part}")
    known = {part}
    for other in MAY_KNOW[part]:
        known |= known_to(other, (*seen, part))
    return known


def wrong_includes():
    known = {part: known_to(part) for part in MAY_KNOW}
    for top in ("spec", "reveal", "kernels", "src"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c"):
                continue
            name = str(path.relative_to(ROOT))
            mine = part_of(name)
            if mine is None:
                yield f"{name}: belongs to no part of the table"
                continue
            for header in INCLUDE.findall(path.read_text()):
                if "/" not in header or header.startswith(OPEN):
                    continue
                if part_of(header) not in known[mine] and (name, header) not in EXCEPTIONS:
                    yield f"{name}: {mine} may not know {header}"


def main():
    wrong = list(wrong_includes())
    print("\n".join(wrong) if wrong else "all includes run one way")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
