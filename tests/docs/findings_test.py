#!/usr/bin/env python3
"""Has each script of findings/ its comment, pinned packages and a line in the table? None is run.

    python3 tests/docs/findings_test.py      0: yes; 1: what is missing, one a line"""
import pathlib
import re
import sys

FINDINGS = pathlib.Path(__file__).resolve().parents[2] / "findings"
FIELDS = ["Guess", "Truth", "Version", "Evidence"]


def missing():
    page = (FINDINGS / "README.md").read_text()
    scripts = [path for path in sorted(FINDINGS.glob("*.sh")) if path.name != "setup.sh"]
    if len(scripts) < 8:
        yield f"findings/ has {len(scripts)} scripts only"
    for path in scripts:
        text = path.read_text()
        comment = text.split("\n. ")[0]
        for field in FIELDS:
            if not re.search(rf"^# {field}: +\S", comment, re.MULTILINE):
                yield f"{path.name}: the comment at the top has no {field}"
        installed = re.findall(r"^(?:wheels \S+|debian) (.+)$", text, re.MULTILINE)
        packages = [package for line in installed for package in line.split()]
        if not packages:
            yield f"{path.name} installs nothing"
        for package in packages:
            name, *version = re.split("==?", package)
            if not version:
                yield f"{path.name}: {package} is not pinned"
            elif version[0] not in comment and name != "numpy":  # which makes the vectors
                yield f"{path.name}: the comment does not name version {version[0]} of {name}"
        if "reprosum" in text or "://" in text:
            yield f"{path.name} names the product or an address"
        if f"`{path.name}`" not in page:
            yield f"README.md does not list {path.name}"


if __name__ == "__main__":
    found = list(missing())
    print("\n".join(found) if found else "all findings are described, pinned and listed")
    sys.exit(1 if found else 0)
