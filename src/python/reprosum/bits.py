"""Are two results the same to the last bit?"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

__all__ = ["Comparison", "equal"]


@dataclass(frozen=True)
class Comparison:
    """What differs between two arrays. True where no bit does."""

    differing: int
    """How many elements differ."""
    of: int
    """How many there are."""
    first: Optional[Tuple[int, ...]] = None
    """The index of the first that differs."""
    a: Optional[float] = None
    b: Optional[float] = None
    """That element of both."""
    ulps: Optional[int] = None
    """The most floats that lie between two elements that differ; None beside a NaN."""
    reason: str = ""
    """Why they cannot be compared: another shape or type."""

    def __bool__(self) -> bool:
        return self.differing == 0 and not self.reason

    def __str__(self) -> str:
        if self.reason:
            return self.reason
        if not self.differing:
            return f"all {self.of} elements have the same bits"
        assert self.first is not None and self.a is not None and self.b is not None
        at = f" at {list(self.first)}" if self.first else ""
        far = "" if self.ulps is None else f"; at most {self.ulps} ulp apart"
        return (f"{self.differing} of {self.of} elements differ, first{at}: {self.a.hex()} and "
                f"{self.b.hex()}{far}")


def equal(a: Any, b: Any) -> Comparison:
    """Compare two arrays (or numbers) bit for bit: 0.0 is not -0.0, and NaN are equal by their bits.

    >>> print(bits.equal(numpy.float64(0.1) + 0.2, 0.3))
    1 of 1 elements differ, first: 0x1.3333333333334p-2 and 0x1.3333333333333p-2; at most 1 ulp apart
    """
    import numpy
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.shape != b.shape:
        return Comparison(0, a.size, reason=f"the shapes are {a.shape} and {b.shape}")
    if a.dtype != b.dtype:
        return Comparison(0, a.size, reason=f"the types are {a.dtype} and {b.dtype}")
    if a.dtype.kind != "f" or a.dtype.itemsize not in (2, 4, 8):
        raise ValueError(f"arrays of {a.dtype} are not compared: float16, float32 or float64 are")
    native = a.dtype.newbyteorder("=")
    signed = {2: numpy.int16, 4: numpy.int32, 8: numpy.int64}[a.dtype.itemsize]
    left = numpy.ascontiguousarray(a, native).reshape(-1).view(signed)
    right = numpy.ascontiguousarray(b, native).reshape(-1).view(signed)
    wrong = numpy.flatnonzero(left != right)
    if wrong.size == 0:
        return Comparison(0, a.size)
    at = int(wrong[0])
    return Comparison(int(wrong.size), a.size,
                      tuple(int(k) for k in numpy.unravel_index(at, a.shape)),
                      float(a.reshape(-1)[at]), float(b.reshape(-1)[at]),
                      _ulps(left[wrong], right[wrong], a.dtype.itemsize))


def _ulps(left: Any, right: Any, size: int) -> Optional[int]:
    """Floats in a row have integers in a row, once those of negative ones are turned round."""
    least = -(1 << (8 * size - 1))
    infinity = {2: 0x7c00, 4: 0x7f800000, 8: 0x7ff0000000000000}[size]

    def place(bits: int) -> int:
        return bits if bits >= 0 else least - bits

    most = 0
    for one, other in zip(left.tolist(), right.tolist()):
        if (one & ~least) > infinity or (other & ~least) > infinity:
            return None
        most = max(most, abs(place(one) - place(other)))
    return most
