"""Netlib's testers pass on libreprosum_blas.so while it replays a captured spec.

netlib_replay.py BUILD SPEC BACKING TESTERS --replayed dot=1,gemv=1,gemm=1

TESTERS is the directory of netlib's testers and of the reference BLAS. Levels 1 to 3 of both real
types run, the Fortran and the CBLAS ones; routines that cannot be replayed are forwarded to
BACKING. As many routines must pass as on the reference alone, and at least the named share of the
calls of dot, gemv and gemm that BLAS admits must be replayed. Calls that count as refused are the
testers' forbidden arguments. Only the calls of a tester's own face count: netlib's CBLAS hands some
forbidden calls on to the Fortran routine, with a letter that it never set, and that letter can be a
legal one. Exit code 77 skips.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

TESTERS = [(f"xblat{level}{kind}", "" if level == 1 else f"{kind}blat{level}.in")
           for kind in "sd" for level in (1, 2, 3)]
TESTERS += [(f"x{kind}cblat{level}", "" if level == 1 else f"{kind}in{level}")
            for kind in "sd" for level in (1, 2, 3)]


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "spec", "backing", "testers"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--replayed", required=True, help="routine=share, ...")
    options = parser.parse_args()
    for needed in (options.backing, f"{options.testers}/xblat3d", options.spec):
        if not os.path.exists(needed):
            print(f"skipped: there is no {needed}")
            return 77
    ours = {"LD_PRELOAD": f"{options.build}/libreprosum_blas.so", "REPROSUM_SPEC": options.spec,
            "REPROSUM_ON_UNCOVERED": "forward", "REPROSUM_ON_FORWARDED": "allow",
            "REPROSUM_BACKING": options.backing,
            "REPROSUM_VERBOSE": "1", "REPROSUM_CACHE_DIR": ""}
    problems, total = [], {}
    for tester, data in TESTERS:
        wanted, _ = run(options.testers, tester, data, {})
        text, said = run(options.testers, tester, data, ours)
        passed, expected = text.count("PASS"), wanted.count("PASS")
        if expected < 3 or passed != expected or re.search(r"FAIL|\*\*\*\*\*", text):
            problems.append(f"{tester}: {passed} of {expected} passed\n{text[-2000:]}")
        if "libreprosum_blas:" in said:
            problems.append(f"{tester}: {said[said.index('libreprosum_blas:'):][:300]}")
        found = {name: row for name, row in counts(said).items()
                 if name.startswith("cblas_") == ("cblat" in tester)}
        for name, row in found.items():
            total[name] = tuple(map(sum, zip(total.get(name, (0, 0, 0, 0)), row)))
        rows = "; ".join(f"{name} {row[0]} replayed, {row[2]} forwarded, {row[3]} forbidden"
                         for name, row in found.items() if routine(name))
        print(f"{tester}: {passed} of {expected} passed; {rows}")
    for name, share in (item.split("=") for item in options.replayed.split(",")):
        rows = [row for symbol, row in total.items() if routine(symbol) == name]
        replayed, admitted = sum(r[0] for r in rows), sum(sum(r[:3]) for r in rows)
        print(f"{name}: {replayed} of {admitted} calls replayed")
        if admitted == 0 or replayed < float(share) * admitted:
            problems.append(f"{name}: {replayed} of {admitted} calls replayed, not {share}")
    for problem in problems:
        print("problem:", problem)
    return 1 if problems else 0


def run(testers, tester, data, extra):
    """What the tester and the files that it writes say, and its stderr."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "LD_LIBRARY_PATH": testers, **extra}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(testers, data) if data else os.devnull) as file:
            done = subprocess.run([os.path.join(testers, tester)], cwd=folder, env=environment,
                                  stdin=file, capture_output=True, text=True,
                                  errors="backslashreplace")  # netlib prints letters unset
        text = done.stdout
        for path in glob.glob(f"{folder}/*"):
            with open(path, errors="backslashreplace") as file:
                text += file.read()
    if done.returncode != 0:
        text += f"FAIL: {tester} ended with {done.returncode}"
    return text, done.stderr


def counts(stderr):
    """symbol -> (replayed, exact, forwarded, refused), from the summary of REPROSUM_VERBOSE."""
    rows = re.findall(r"^REPROSUM (\w+) +(\d+) +(\d+) +(\d+) +(\d+)$", stderr, re.M)
    return {name: tuple(int(number) for number in numbers) for name, *numbers in rows}


def routine(symbol):
    """"gemm" of "dgemm_" and of "cblas_sgemm"; None for what is never replayed."""
    found = re.fullmatch(r"(?:cblas_)?[sd](dot|gemv|gemm)_?", symbol)
    return found.group(1) if found else None


if __name__ == "__main__":
    sys.exit(main())
