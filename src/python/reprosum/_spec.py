"""Specs: what a capture found, and calls in its orders."""
from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _core
from ._progress import shown_progress

Path = Union[str, "os.PathLike[str]"]
PREFIXES = ("blas:", "exec:", "clblast:", "cublas:")


def options_of(options: Dict[str, Any]) -> List[str]:
    """Keyword arguments as the options of the command line: n_max=1000 is --n-max 1000."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        if value is True:
            value = 1
        if isinstance(value, (list, tuple)):
            value = ",".join(str(one) for one in value)
        words += [name.replace("_", "-"), str(value)]
    return words


def _require_capture() -> None:
    if not _core.has_capture:
        raise _core.EnvironmentFault("this wheel of reprosum has exact sums and replay alone: "
                                     "install the full one to capture, verify and show specs")


@dataclass(frozen=True)
class Verdict:
    """Whether a library still adds in the order of a spec. True if it does."""

    holds: bool
    report: Dict[str, Any] = field(repr=False)
    """What `reprosum verify --json` prints: the first mismatch of each entry among others."""

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class Difference:
    """Where two specs part. True if they do."""

    is_any: bool
    report: Dict[str, Any] = field(repr=False)
    """What `reprosum diff --json` prints."""

    def __bool__(self) -> bool:
        return self.is_any


class Spec:
    """The order in which a library adds, for every size and context that was captured.

    `Spec.open(path)` reads a file, `capture()` makes one. The sums of a spec have the bits of the
    captured library; a call that it does not cover raises NotCovered and names what is missing.
    """

    def __init__(self, document: Union[str, bytes], name: str = "spec") -> None:
        self._document = document.encode() if isinstance(document, str) else bytes(document)
        self._replay = _core.Replay(self._document)
        self.name = name

    @classmethod
    def open(cls, path: Path) -> "Spec":
        """Read a file. BadSpec: it is no spec; the message says where."""
        with open(path, "rb") as file:
            return cls(file.read(), os.path.basename(os.fspath(path)))

    def save(self, path: Path) -> None:
        with open(path, "wb") as file:
            file.write(self._document)

    # ---- calls ----

    def sum(self, x: Any) -> float:
        """The sum of a vector in the captured order."""
        return self._replay.sum(x)

    def dot(self, x: Any, y: Any) -> float:
        """The dot product of two vectors in the captured order."""
        return self._replay.dot(x, y)

    def matmul(self, a: Any, b: Any) -> Any:
        """a @ b of NumPy arrays, as the captured gemm does it.

        A matrix and a vector are a gemv, two vectors a dot product, as NumPy calls BLAS. (NumPy calls
        syrk for a @ a.T, which no spec has.)
        """
        import numpy
        a, b = numpy.asarray(a), numpy.asarray(b)
        if a.ndim == 1 and b.ndim == 1:
            return self.dot(a, b)
        if a.ndim == 2 and b.ndim == 1:
            out = numpy.empty(a.shape[0], a.dtype)
            self._replay.gemv(a, b, out, False)
        elif a.ndim == 1 and b.ndim == 2:
            out = numpy.empty(b.shape[1], b.dtype)
            self._replay.gemv(b, a, out, True)
        elif a.ndim == 2 and b.ndim == 2:
            out = numpy.empty((a.shape[0], b.shape[1]), a.dtype)
            self._replay.gemm(a, b, out)
        else:
            raise ValueError(f"arrays of {a.ndim} and {b.ndim} dimensions: vectors and matrices "
                             "are multiplied")
        return out

    def covers(self, x: Any, y: Any = None) -> bool:
        """Whether sum(x), or dot(x, y), would be replayed."""
        return not self._replay.not_covered(x, y)

    def why_not(self, x: Any, y: Any = None) -> str:
        """The first thing of that call that is not covered; empty if all is."""
        return self._replay.not_covered(x, y)

    @property
    def threads(self) -> int:
        """The thread count of the captured library whose results are replayed."""
        return self._replay.threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._replay.threads = threads

    def use(self, isa: str) -> None:
        """Choose 'interpreter', 'avx2', 'avx512', ...; '' is the best of this host. Equal bits."""
        self._replay.set_isa(isa)

    # ---- the document ----

    @property
    def document(self) -> Dict[str, Any]:
        """The document as Python data."""
        return json.loads(self._document)

    @property
    def hash(self) -> str:
        """SHA-256 of what the spec means: equal for equal orders and coverage."""
        return self._replay.hash()

    @property
    def target(self) -> str:
        return self._provenance().get("target", "")

    def _provenance(self) -> Dict[str, str]:
        found = self.document.get("provenance", {})
        return found if isinstance(found, dict) else dict(found)

    def __eq__(self, other: object) -> bool:
        return self.hash == other.hash if isinstance(other, Spec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __reduce__(self) -> Any:
        return Spec, (self._document, self.name)

    # ---- the jobs of the command line ----

    def show(self, routine: Optional[str] = None, *, format: str = "text", **options: Any) -> str:
        """The rules and the evidence or, with n (or m, n, k), one tree; format 'text', 'svg', 'dot'
        or 'json'. Options are those of `reprosum show`."""
        _require_capture()
        return _core.show(self._document,
                          options_of({"routine": routine, "format": format, **options}))

    def verify(self, target: Union[str, Callable[..., Any]], *, kind: Optional[str] = None,
               dtypes: Union[str, Sequence[str]] = ("float32", "float64"),
               progress: Union[bool, Callable[..., Any], None] = None, **options: Any) -> Verdict:
        """Replay random data on a library or a function (as of capture()) and compare all bits."""
        _require_capture()
        with shown_progress(progress, f"verify {self.name}") as show:
            if isinstance(target, str):
                command = target if target.startswith(PREFIXES) else "blas:" + target
                holds, report = _core.verify(self._document, command, options_of(options), show)
            else:
                from ._capture import verify_function
                holds, report = verify_function(self._document, target, kind, dtypes, options, show)
        return Verdict(holds, json.loads(report))

    def diff(self, other: "Spec", **options: Any) -> Difference:
        """Where this spec and another one part."""
        _require_capture()
        same, report = _core.diff(self._document, other._document, options_of(options))
        return Difference(not same, json.loads(report))

    # ---- notebooks ----

    def _first_tree(self) -> Optional[str]:
        for entry in self.document.get("entries", []):
            for n in (20, 8, 4, 2):
                try:
                    name = {"f32": "s", "f64": "d"}[entry["type"]] + entry["routine"]
                    sizes = {"n": n} if entry["routine"] in ("sum", "dot") else {"m": 4, "n": 4,
                                                                                 "k": n}
                    return self.show(name, format="svg", **sizes)
                except (KeyError, TypeError, _core.Error):
                    continue
        return None

    def _repr_svg_(self) -> Optional[str]:
        return self._first_tree() if _core.has_capture else None

    def _repr_html_(self) -> str:
        text = self.show() if _core.has_capture else repr(self)
        picture = self._repr_svg_() or ""
        return f"<div>{picture}<pre>{html.escape(text)}</pre></div>"

    def __repr__(self) -> str:
        return f"<reprosum.Spec {self.name} {self.hash[:12]}>"
