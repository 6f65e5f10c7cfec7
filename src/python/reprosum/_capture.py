"""capture(): in which order does this function, or this library, add?"""
from __future__ import annotations

import inspect
import shlex
import sys
from typing import Any, Callable, Sequence, Tuple, Union

from . import _core
from ._progress import shown_progress
from ._spec import PREFIXES, Spec, _require_capture, options_of

TYPES = {"float32": 1, "float64": 2}


def capture(target: Union[str, Callable[..., Any]], *, kind: Union[str, None] = None,
            dtypes: Union[str, Sequence[str]] = ("float32", "float64"), subprocess: bool = False,
            progress: Union[bool, Callable[..., Any], None] = None, **options: Any) -> Spec:
    """Probe a library or a function and return its certified spec.

    target: a BLAS library ("libopenblas.so.0", a path, or "blas:...", "exec:..." as on the command
    line), or a function of one or two vectors, such as numpy.sum or `lambda x, y: x @ y`. A function
    is called here, in this thread, with NumPy arrays (with tensors if it is torch's) of every stride
    and alignment; with subprocess=True in a process of its own, which imports it by name.

    kind: what a function computes, "sum" or "dot"; by default its name says so, or how many
    arguments it takes. dtypes: of a function's arrays.

    options are those of `reprosum capture`: routines, threads, n_max, increments, timeout, seed ...

    Raises NotCovered, with the reasons, if nothing could be certified. What a function raises ends
    the capture and comes out.
    """
    _require_capture()
    if isinstance(target, str):
        command = target if target.startswith(PREFIXES) else "blas:" + target
        with shown_progress(progress, f"capture {target}") as show:
            document, _ = _core.capture(command, options_of(options), show)
        return Spec(document, target)
    name = name_of(target)
    with shown_progress(progress, f"capture {name}") as show:
        if subprocess:
            command = _command_of(target, kind_of(target, kind))
            document, _ = _core.capture(command, options_of(options), show)
        else:
            sums, dots = _types_of(target, kind, dtypes)
            with _quiet():
                document, _ = _core.capture_function(_adapted(target), name, _facts_of(target), sums,
                                                     dots, options_of(options), show)
    return Spec(document, name)


def verify_function(document: bytes, function: Callable[..., Any], kind: Union[str, None],
                    dtypes: Union[str, Sequence[str]], options: Any,
                    show: Any) -> Tuple[bool, str]:
    sums, dots = _types_of(function, kind, dtypes)
    with _quiet():
        return _core.verify_function(document, _adapted(function), name_of(function), sums, dots,
                                     options_of(options), show)


def _quiet() -> Any:
    """Probes overflow on purpose; NumPy need not warn of it."""
    import numpy
    return numpy.errstate(all="ignore")


def module_of(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None)
    if module is None:
        module = getattr(getattr(function, "__self__", None), "__name__", None)
    return module or type(function).__module__


def name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return f"{module_of(function)}.{name or type(function).__qualname__}"


def kind_of(function: Callable[..., Any], kind: Union[str, None]) -> str:
    if kind is not None:
        if kind not in ("sum", "dot"):
            raise ValueError(f"kind is 'sum' or 'dot', not {kind!r}")
        return kind
    name = name_of(function).rsplit(".", 1)[-1]
    if any(word in name for word in ("dot", "inner")):
        return "dot"
    if "sum" in name:
        return "sum"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ValueError(f"is {name_of(function)} a sum or a dot product? Say kind='sum' or "
                         "kind='dot'") from None
    needed = [one for one in parameters if one.default is one.empty and
              one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return "dot" if len(needed) == 2 else "sum"


def _types_of(function: Callable[..., Any], kind: Union[str, None],
              dtypes: Union[str, Sequence[str]]) -> Tuple[int, int]:
    types = 0
    for one in [dtypes] if isinstance(dtypes, str) else dtypes:
        if str(one) not in TYPES:
            raise ValueError(f"dtypes are 'float32' and 'float64', not {one!r}")
        types |= TYPES[str(one)]
    if types & 2 and module_of(function).startswith("jax"):
        import jax
        if not jax.config.jax_enable_x64:
            raise ValueError("jax turns float64 into float32 unless jax_enable_x64 is set: set it, or "
                             "say dtypes='float32'")
    return (types, 0) if kind_of(function, kind) == "sum" else (0, types)


def _adapted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on the arrays that it takes."""
    if not module_of(function).startswith("torch"):
        return function
    import torch

    def on_tensors(*operands: Any) -> Any:
        if any(stride < 0 for one in operands for stride in one.strides):
            raise ValueError("PyTorch has no negative strides: say increments='1:1'")
        return function(*(torch.from_numpy(one) for one in operands))

    return on_tensors


def _facts_of(function: Callable[..., Any]) -> str:
    package = module_of(function).partition(".")[0]
    lines = [f"python={sys.version.split()[0]}"]
    for name in dict.fromkeys(["numpy", package]):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            lines.append(f"{name}={version}")
    return "\n".join(lines)


def _command_of(function: Callable[..., Any], kind: str) -> str:
    module, name = module_of(function), name_of(function)[len(module_of(function)) + 1:]
    if "<" in name or module == "__main__":
        raise ValueError(f"{function!r} cannot be imported by name in another process: put it into a "
                         "module, or capture it here, without subprocess=True")
    if module.startswith("torch"):
        module, name = "torch", name.rsplit(".", 1)[-1]
    words = [sys.executable, "-m", "reprosum._target", kind, f"{module}:{name}"]
    return "exec:" + " ".join(shlex.quote(word) for word in words)
