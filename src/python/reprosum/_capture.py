"""capture(): in which order does this function, or this library, add?"""
from __future__ import annotations

import shlex
import sys
from typing import Any, Callable, Sequence, Union

from . import _core
from ._progress import shown_progress
from ._spec import Spec, _require_capture, options_of

PREFIXES = ("blas:", "exec:", "clblast:", "cublas:")


def capture(target: Union[str, Callable[..., Any]], *, kind: Union[str, None] = None,
            progress: Union[bool, Callable[..., Any], None] = None, **options: Any) -> Spec:
    """Probe a library or a function and return its certified spec.

    target: a BLAS library ("libopenblas.so.0", a path, or "blas:...", "exec:..." as on the command
    line), or a function of one or two vectors that can be imported by name, such as numpy.sum or
    torch.dot. A function runs in a process of its own, on NumPy arrays, or on tensors if it is
    torch's.

    kind: "sum" or "dot" for functions; by default what their name says, else how many arguments
    they take.

    options are those of `reprosum capture`: routines, threads, n_max, increments, timeout, seed ...

    Raises NotCovered, with the reasons, if nothing could be certified.
    """
    _require_capture()
    if callable(target):
        command, name = _command_of(target, kind)
    else:
        command = target if target.startswith(PREFIXES) else "blas:" + target
        name = target
    with shown_progress(progress, f"capture {name}") as show:
        document, _ = _core.capture(command, options_of(options), show)
    return Spec(document, name)


def _command_of(function: Callable[..., Any], kind: Union[str, None]) -> Sequence[str]:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", getattr(function, "__name__", ""))
    if module is None and hasattr(function, "__self__"):
        module = getattr(function.__self__, "__name__", None)
    if not module or not name or "<" in name or module == "__main__":
        raise ValueError(f"{function!r} cannot be imported by name in another process: put it into a "
                         "module, or write an exec: target (reveal/target/README.md)")
    module = {"torch._VariableFunctionsClass": "torch"}.get(module, module)
    if module.startswith("torch"):
        module, name = "torch", name.rsplit(".", 1)[-1]
    if kind is None:
        kind = "dot" if any(word in name for word in ("dot", "inner", "matmul", "mv")) else "sum"
    if kind not in ("sum", "dot"):
        raise ValueError(f"kind is 'sum' or 'dot', not {kind!r}")
    words = [sys.executable, "-m", "reprosum._target", kind, f"{module}:{name}"]
    return "exec:" + " ".join(shlex.quote(word) for word in words), f"{module}.{name}"
