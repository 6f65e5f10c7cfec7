"""Programs under the drop-in: their calls of BLAS in the order of a spec, or exactly."""
from __future__ import annotations

import os
import sys
from typing import Dict, List, Mapping, NoReturn, Optional, Union

from . import _core

Path = Union[str, "os.PathLike[str]"]

_MARK = "REPROSUM_PYTHON_PRELOADED"


def library(name: str) -> str:
    """The path of a library that came with this package: beside the loaded libreprosum."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[-1].strip()
            if os.path.basename(path).startswith("libreprosum.so"):
                beside = os.path.join(os.path.dirname(path), name)
                if os.path.exists(beside):
                    return beside
    raise _core.EnvironmentFault(f"{name} is not here: this wheel of reprosum has exact sums and "
                                 "replay alone, without the drop-in")


def environment(spec: Optional[Path] = None, *, exact: bool = False,
                base: Optional[Mapping[str, str]] = None, **settings: str) -> Dict[str, str]:
    """The environment of a program under the drop-in, to give to subprocess.run(env=...).

    settings are the drop-in's variables without their prefix: on_uncovered="exact",
    on_refused="abort", threads="2", verbose="1". A summary is written to stderr at the end unless
    verbose says otherwise.
    """
    if (spec is None) != exact:
        raise ValueError("give either a spec or exact=True")
    env = dict(os.environ if base is None else base)
    before = env.get("LD_PRELOAD", "")
    env["LD_PRELOAD"] = library("libreprosum_blas.so") + (":" + before if before else "")
    env["REPROSUM_VERBOSE"] = "summary"
    if spec is not None:
        path = os.path.abspath(spec)
        if not os.path.exists(path):
            raise _core.EnvironmentFault(f"no such spec: {path}")
        env["REPROSUM_SPEC"] = path
    else:
        env["REPROSUM_MODE"] = "exact"
    for name, value in settings.items():
        env["REPROSUM_" + name.upper()] = str(value)
    return env


def preload(spec: Optional[Path] = None, *, exact: bool = False, **settings: str) -> None:
    """Start this program anew under the drop-in; does nothing if it runs under it.

    A library can only be put before others when a program starts, so call it first:

    >>> import reprosum; reprosum.preload("openblas.json")
    >>> import numpy                              # its calls of BLAS are replayed
    """
    if os.environ.get(_MARK) == str(os.getpid()):
        return
    env = environment(spec, exact=exact, base=None, **settings)
    env[_MARK] = str(os.getpid())  # exec keeps the number; children have others
    arguments = getattr(sys, "orig_argv", [])
    if len(arguments) < 2 or arguments[1] == "-c" and len(arguments) < 3:
        raise _core.EnvironmentFault("an interactive Python cannot be started anew: use "
                                     "`python -m reprosum run` for a script")
    execute([sys.executable, *arguments[1:]], env)


def execute(command: List[str], env: Mapping[str, str]) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, dict(env))
