"""python -m reprosum: run a script under the drop-in, or capture.

python -m reprosum run --spec spec.json script.py arguments ...
python -m reprosum run --exact script.py arguments ...
python -m reprosum capture numpy:sum -o numpy_sum.json
"""
from __future__ import annotations

import argparse
import sys
from typing import List, Optional

from . import Error, __version__, capture
from ._run import environment, execute
from ._target import found


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m reprosum", description=(__doc__ or "").split("\n")[0],
                                  formatter_class=argparse.RawDescriptionHelpFormatter,
                                  epilog="\n".join((__doc__ or "").split("\n")[2:]))
    top.add_argument("--version", action="version", version=f"reprosum {__version__}")
    jobs = top.add_subparsers(dest="job", required=True)
    run = jobs.add_parser("run", help="start a Python script whose calls of BLAS are replayed")
    how = run.add_mutually_exclusive_group(required=True)
    how.add_argument("--spec", help="the spec whose orders are replayed")
    how.add_argument("--exact", action="store_true", help="compute every call exactly instead")
    run.add_argument("--on-uncovered", choices=("refuse", "forward", "exact"),
                     help="what becomes of a call that the spec does not cover")
    run.add_argument("--on-refused", choices=("nan", "abort"), help="what a refused call does")
    run.add_argument("--threads", help="which captured thread count is replayed")
    run.add_argument("--verbose", default="summary", help="summary (default), 0, or 1: every call")
    run.add_argument("script", help="a Python script; -m MODULE runs a module")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    seize = jobs.add_parser("capture", help="capture a library, or a function module:name")
    seize.add_argument("target")
    seize.add_argument("-o", "--output", required=True)
    seize.add_argument("--routines")
    seize.add_argument("--n-max")
    return top


def main(words: Optional[List[str]] = None) -> int:
    options = parser().parse_args(words)
    try:
        if options.job == "capture":
            is_function = ":" in options.target and not options.target.startswith(
                ("blas:", "exec:", "clblast:", "cublas:"))
            target = found(options.target) if is_function else options.target
            spec = capture(target, routines=options.routines, n_max=options.n_max)
            spec.save(options.output)
            print(f"{options.output}: {spec.hash}")
            return 0
        settings = {name: value for name in ("on_uncovered", "on_refused", "threads", "verbose")
                    if (value := getattr(options, name)) is not None}
        env = environment(options.spec, exact=options.exact, **settings)
        execute([sys.executable, options.script, *options.arguments], env)
    except Error as error:
        print(f"reprosum: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
