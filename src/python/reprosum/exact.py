"""Sums, dot products, norms and matrix products that are rounded once.

A result depends on the numbers alone: not on their order, on threads or on the machine. Operands
are float32 or float64 arrays (NumPy, array.array, memoryview, anything with DLPack), of any stride;
a sequence of Python numbers is summed as float64. The result of float32 operands is a float32
number, returned as a Python float.
"""
from __future__ import annotations

import hashlib
from array import array as _array
from typing import Any, Iterable, Union

from . import _core

__all__ = ["Accumulator", "asum", "dot", "matmul", "norm", "set_workers", "sum"]


def _operand(x: Any) -> Any:
    """What has no array in it but numbers: a list, a tuple, a generator."""
    if isinstance(x, (list, tuple)) or (hasattr(x, "__next__") and not hasattr(x, "__dlpack__")):
        return _array("d", [_number(one) for one in x])
    return x


def _number(x: Any) -> float:
    number = float(x)
    if isinstance(x, int) and number != x:
        raise ValueError(f"the integer {x} is no float64: it would have to be rounded")
    return number


def sum(x: Any, axis: Union[int, None] = None) -> Any:
    """The exact sum of all elements, rounded once; along one axis of a NumPy array if that is given.

    The sum of no elements is 0.0. NaN, or infinities of both signs, give NaN.
    """
    if axis is None:
        try:
            return _core.exact_sum(x)
        except TypeError:
            return _core.exact_sum(_operand(x))
    import numpy
    array = numpy.moveaxis(numpy.asarray(x), axis, -1)
    out = numpy.empty(array.shape[:-1], array.dtype)
    for at in numpy.ndindex(*out.shape):
        out[at] = _core.exact_sum(array[at])
    return out[()]


def asum(x: Any) -> float:
    """The exact sum of the absolute values, rounded once."""
    return _core.exact_asum(_operand(x))


def norm(x: Any) -> float:
    """The square root of the exact sum of squares, rounded once; nothing over- or underflows."""
    return _core.exact_norm(_operand(x))


def dot(x: Any, y: Any) -> float:
    """The exact sum of the products of two vectors of one type, rounded once."""
    return _core.exact_dot(_operand(x), _operand(y))


def matmul(a: Any, b: Any) -> Any:
    """The matrix product a @ b of NumPy arrays, each element rounded once.

    Shapes are numpy.matmul's: vectors, matrices and stacks of matrices.
    """
    import numpy
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.dtype != b.dtype or a.dtype not in (numpy.float32, numpy.float64):
        raise ValueError(f"a is {a.dtype} and b is {b.dtype}; two float32 or two float64 arrays "
                         "are wanted")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("a number has no matrix product: multiply with *")
    left = a if a.ndim > 1 else a[numpy.newaxis, :]
    right = b if b.ndim > 1 else b[:, numpy.newaxis]
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(f"the shapes {a.shape} and {b.shape} do not fit")
    stack = numpy.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = numpy.broadcast_to(left, stack + left.shape[-2:])
    right = numpy.broadcast_to(right, stack + right.shape[-2:])
    out = numpy.empty(stack + (left.shape[-2], right.shape[-1]), a.dtype)
    for at in numpy.ndindex(*stack):
        _core.exact_matmul(left[at], right[at], out[at])
    if a.ndim == 1:
        out = out[..., 0, :]
    if b.ndim == 1:
        out = out[..., 0]
    return out[()]


def set_workers(workers: int) -> None:
    """How many threads of their own long sums and products use in this process; at first 1.

    No bit depends on it.
    """
    _core.set_workers(workers)


class Accumulator(_core.Accumulator):
    """An exact sum that grows: of numbers, arrays and products, in any order and grouping.

    >>> total = Accumulator()
    >>> total.add(x); total.add_products(a, b); total.subtract(y)
    >>> total.value                               # rounded once
    >>> total.save()                              # the same bytes for the same terms, anywhere

    An accumulator of dtype 'float32' takes float32 numbers alone and is smaller when saved. Threads
    may share one; each call is done whole.
    """

    def __init__(self, x: Any = None, dtype: str = "float64") -> None:
        super().__init__(dtype)
        if x is not None:
            self.add(x)

    def add(self, x: Any) -> None:
        """Add a number, or every element of an array or sequence."""
        super().add(_operand(x))

    def subtract(self, x: Any) -> None:
        """Subtract a number, or every element of an array or sequence."""
        super().subtract(_operand(x))

    @property
    def value(self) -> float:
        """The sum, rounded once to the nearest float of this accumulator's type."""
        return self.round(dtype=self.dtype)

    def merge(self, other: Union[_core.Accumulator, bytes, bytearray, memoryview]) -> None:
        """Add the terms of another accumulator, or of one that was saved."""
        if isinstance(other, _core.Accumulator):
            super().merge(other)
        else:
            super().merge_bytes(bytes(other))

    @classmethod
    def load(cls, data: Union[bytes, bytearray, memoryview]) -> "Accumulator":
        """A new accumulator from saved bytes. ValueError: bytes that no accumulator saves."""
        saved = bytes(data)
        loaded = cls(dtype=_core.Accumulator.load(saved).dtype)
        loaded.merge(saved)
        return loaded

    def hash(self) -> bytes:
        """32 bytes that are equal for equal terms: SHA-256 of the saved state."""
        return hashlib.sha256(self.save()).digest()

    def copy(self) -> "Accumulator":
        return type(self).load(self.save())

    def __iadd__(self, x: Any) -> "Accumulator":
        self.merge(x) if isinstance(x, _core.Accumulator) else self.add(x)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _core.Accumulator):
            return NotImplemented
        return self.save() == other.save()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __reduce__(self) -> Any:
        return type(self).load, (self.save(),)

    def __repr__(self) -> str:
        return f"Accumulator({self.value!r}, dtype={self.dtype!r})"
