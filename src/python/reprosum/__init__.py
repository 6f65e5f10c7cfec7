"""Reveal, replay and check the order in which a library adds; or sum exactly, in no order at all.

>>> import reprosum
>>> reprosum.exact.sum([1e100, 1.0, -1e100])
1.0
>>> spec = reprosum.capture(numpy.sum)            # in which order does NumPy add?
>>> spec.sum(x) == numpy.sum(x)                   # replayed bit for bit, on any machine
True
"""
from . import bits, exact
from ._capture import capture
from ._core import (BadArgument, BadSpec, Cancelled, EnvironmentFault, Error, InternalError,
                    NotCovered, __version__, has_capture)
from ._run import preload
from ._spec import Difference, Spec, Verdict

__all__ = ["BadArgument", "BadSpec", "Cancelled", "Difference", "EnvironmentFault", "Error",
           "InternalError", "NotCovered", "Spec", "Verdict", "__version__", "bits", "capture",
           "exact", "has_capture", "preload"]
