"""Captures a real library from end to end and replays it.

capture_and_replay.py BUILD TARGET --threads 1,2 --routines sdot,ddot [--refused ssum=not_a_sum]
                      [--interpreted "ddot=a padded loop"] [--spec FILE]

Every routine must be captured for every thread count at unit increments up to 10^6 or more, or be
refused with exactly the reason given. Then the C API must give the target's bits in every context
of the spec (thread counts, random increments of each kind, addresses), with its kernels and with the interpreter, on
--vectors random vectors per routine of sizes up to 10^7. Every context must run generated code, for
every size; what the interpreter serves must be named with its reason by --interpreted. FILE is a
capture of the target that other tests also use. Exit code 77 skips: no such target, or it runs on
other processors.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from capture_run import capture


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("target")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--routines", default="")
    parser.add_argument("--refused", action="append", default=[])
    parser.add_argument("--interpreted", action="append", default=[])
    parser.add_argument("--needs", default="", help="file or Python module that must exist")
    parser.add_argument("--python", default=sys.executable, help="which has that module")
    parser.add_argument("--vectors", default="100000")
    parser.add_argument("--spec", help="captured before; otherwise it is captured here")
    parser.add_argument("--sizes", default="", help="so many different ones at most are replayed")
    options = parser.parse_args()

    if options.needs.startswith("/"):
        if not os.path.exists(options.needs):
            print(f"skipped: {options.needs} is not installed")
            return 77
    elif options.needs:
        if subprocess.run([options.python, "-c", f"import {options.needs}"]).returncode != 0:
            print(f"skipped: {options.python} has no module {options.needs}")
            return 77

    refused = dict(item.split("=") for item in options.refused)
    routines = [routine for routine in options.routines.split(",") if routine]
    with tempfile.TemporaryDirectory() as folder:
        spec_file = options.spec or os.path.join(folder, "spec.json")
        code = None if options.spec else capture(
            [f"{options.build}/reprosum", "capture", "--target", options.target, "--routines",
             ",".join(routines + list(refused)), "--threads", options.threads, "-o", spec_file])
        if code is not None:
            return code
        with open(spec_file) as file:
            spec = json.load(file)
        problems = check(spec, routines, refused, [int(t) for t in options.threads.split(",")])
        for problem in problems:
            print("problem:", problem)
        if not routines:  # nothing but refusals is expected
            return 1 if problems else 0
        replay_file = os.path.join(folder, "replay.json")
        table = [f"{options.build}/replay_table", spec_file, "--target", options.target,
                 "--vectors", options.vectors, "--no-speed", "--json", replay_file]
        code = subprocess.run(table + (["--sizes", options.sizes] if options.sizes else [])).returncode
        if code not in (0, 1):
            print(f"the replay ended with {code}")
            return 1
        with open(replay_file) as file:
            replay = json.load(file)
        interpreted = dict(item.split("=", 1) for item in options.interpreted)
        found = check_replay(spec, replay["contexts"], int(options.vectors))
        if replay["host_isas"] == ["interpreter"]:
            print("note: this host runs no generated kernels, so they were not tested")
        else:
            found += check_kernels(replay["contexts"], interpreted)
        for problem in found:
            print("problem:", problem)
        print(summary(options.target, replay))
        return 1 if problems or found or code != 0 else 0


def check_replay(spec, contexts, vectors):
    """Contexts that were not replayed, or not enough, or not bit for bit, as sentences."""
    problems = []
    replayed = {(c["routine"], c["threads"], c["increments"]) for c in contexts}
    for entry in spec["entries"]:
        if entry["routine"] not in ("sum", "dot"):
            continue
        routine = {"f32": "s", "f64": "d"}[entry["type"]] + entry["routine"]
        for threads in entry["guard"]["threads"]:
            for incx, incy in entry["guard"]["increments"]:
                if (routine, threads, f"{incx}:{incy}") not in replayed:
                    problems.append(f"{routine}, threads={threads}, inc={incx}:{incy}: no replay")
    for context in contexts:
        wrong = context["mismatches"] + context["interpreter_mismatches"]
        if wrong > 0:
            problems.append(f"{place(context)}: {wrong} results differ")
        if context["vectors"] < min(vectors * 0.02, 2000):
            problems.append(f"{place(context)}: only {context['vectors']} vectors")
    for routine in {c["routine"] for c in contexts}:
        total = sum(c["vectors"] for c in contexts if c["routine"] == routine)
        if total < vectors:
            problems.append(f"{routine}: only {total} vectors")
    return problems


def check_kernels(contexts, interpreted):
    """Contexts whose kernel is not generated code for every size, as sentences."""
    problems = []
    for context in contexts:
        reason, allowed = context["interpreted"], interpreted.get(context["routine"])
        if reason and (allowed is None or allowed not in reason):
            problems.append(f"{place(context)}: {context['kernel']} is interpreted: {reason}")
        elif not reason and context["isa"] not in ("avx2", "avx512"):
            problems.append(f"{place(context)}: the kernel's ISA is {context['isa']}")
    for routine, reason in interpreted.items():
        if not any(c["routine"] == routine and reason in c["interpreted"] for c in contexts):
            print(f"note: {routine} is generated; --interpreted need not name it")
    return problems


def place(context):
    return f"{context['routine']}, threads={context['threads']}, inc={context['increments']}"


def summary(target, replay):
    contexts = replay["contexts"]

    def total(field):
        return sum(c[field] for c in contexts)

    return (f"{target}, core {replay['core']}: {total('contexts')} contexts, "
            f"{total('vectors')} vectors, {total('mismatches')} mismatches of kernels, "
            f"{total('interpreter_mismatches')} of the interpreter, "
            f"{sum(c['contexts'] for c in contexts if c['interpreted'])} contexts interpreted at "
            f"least in part, ISA {'/'.join(sorted({c['isa'] for c in contexts}))}, "
            f"{replay['seconds']:.0f} s")


def check(spec, routines, refused, threads):
    """What the spec lacks, as sentences."""
    problems = []
    for routine in routines:
        kind, type_name = routine[1:], {"s": "f32", "d": "f64"}[routine[0]]
        for count in threads:
            reached = max((entry["regimes"][0]["k_max"] for entry in spec["entries"]
                           if entry["routine"] == kind and entry["type"] == type_name
                           and any(admits(x, 1) and admits(y, 1 if kind == "dot" else 0)
                                   for x, y in entry["guard"]["increments"])
                           and count in entry["guard"]["threads"]), default=0)
            if reached < 1000000:
                problems.append(f"{routine}, threads={count}: covered only to n = {reached}")
    for routine, reason in refused.items():
        reasons = {r["reason"] for r in spec["refusals"] if r["routine"] == routine}
        if reason not in reasons:
            problems.append(f"{routine}: refused for {reasons or 'nothing'}, expected {reason}")
    return problems


def admits(increments, value):
    """Increments of one vector as a spec says them: 2, "2..", "..-2", "2..9" or "any"."""
    if isinstance(increments, int):
        return increments == value
    if increments == "any":
        return True
    least, greatest = increments.split("..")
    return (not least or int(least) <= value) and (not greatest or value <= int(greatest))


if __name__ == "__main__":
    sys.exit(main())
