#!/usr/bin/env python3
"""Do the commands of README.md's first screen print what it says they print?

    first_screen_test.py PYTHON LIBRARY      0: yes; 1: what they print instead; 77: no NumPy to ask

PYTHON has NumPy, LIBRARY is the libreprosum_blas.so of this build. Each line "$ ... python3 dot.py
0x..." is run with the specs of spec/library. Lines without the library are asked of a NumPy whose
BLAS obeys OPENBLAS_CORETYPE, and where the processor has the instructions."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON, LIBRARY = sys.argv[1:]
LINE = re.compile(r"^\$ (.*python3 dot\.py) +(-?0x\S+)", re.MULTILINE)
page = (ROOT / "README.md").read_text()
program = re.search(r"^\$ cat dot\.py\n(.*?)^\$", page, re.MULTILINE | re.DOTALL).group(1)
has_avx512 = "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()

if subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode != 0:
    print("no NumPy")
    sys.exit(77)
environment = {name: value for name, value in os.environ.items()
               if not name.startswith(("REPROSUM_", "OPENBLAS_")) and name != "LD_PRELOAD"}
environment |= {"S": str(ROOT / "spec/library"), "L": os.path.abspath(LIBRARY), "REPROSUM_CACHE_DIR": ""}
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "dot.py").write_text(program)

    def printed(command):
        command = command.replace("python3", PYTHON)
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                              capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip()

    obeys = len({printed(f"OPENBLAS_CORETYPE={core} python3 dot.py")
                 for core in ("Haswell", "Prescott")}) == 2
    lines = LINE.findall(page)
    wrong = []
    if len([command for command, _ in lines if "$L" in command]) < 3 or len(lines) < 6:
        wrong.append(f"README.md shows {len(lines)} commands only")
    for command, wanted in lines:
        if "$L" not in command and (not obeys or "SkylakeX" in command and not has_avx512):
            print(f"not asked: {command}")
        elif (found := printed(command)) != wanted:
            wrong.append(f"{command}\n    is to print {wanted}, prints {found}")
print("\n".join(wrong) if wrong else "the first screen holds")
sys.exit(1 if wrong else 0)
