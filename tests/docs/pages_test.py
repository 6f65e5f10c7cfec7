#!/usr/bin/env python3
"""Do the links of all pages lead somewhere, and has each part a door plate?

    python3 tests/docs/pages_test.py      0: yes; 1: what does not, one a line

A door plate is a README.md of at most MOST lines with a worked example and a glossary ("Words"), of
parts that strangers enter first."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["spec", "reveal", "kernels", "src/runtime", "src/blas", "src/exact", "src/cli", "tests",
         "bench", "tools"]
MOST = 160
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def pages():
    for page in sorted(ROOT.rglob("*.md")):
        if not {"build", ".git", ".gpu"} & set(page.relative_to(ROOT).parts):
            yield page


def wrong():
    for page in pages():
        for target in LINK.findall(page.read_text()):
            if "://" not in target[0] and not (page.parent / target[0]).exists():
                yield f"{page.relative_to(ROOT)}: {target[0]} leads nowhere"
    for part in PARTS:
        page = ROOT / part / "README.md"
        if not page.exists():
            yield f"{part} has no README.md"
            continue
        lines = page.read_text().split("\n")
        if len(lines) > MOST + 1:
            yield f"{part}/README.md has {len(lines)} lines; a door plate has at most {MOST}"
        for heading in ("Words", "xample"):
            if not any(line.startswith("#") and heading in line for line in lines):
                yield f"{part}/README.md has no heading with \"{heading}\""


if __name__ == "__main__":
    found = list(wrong())
    print("\n".join(found) if found else "all links lead somewhere, all parts have a door plate")
    sys.exit(1 if found else 0)
