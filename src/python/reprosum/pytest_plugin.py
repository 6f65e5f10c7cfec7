"""pytest: assert_same_bits, and tests that hold only while a library keeps its order.

    @pytest.mark.order("openblas.json", target="libopenblas.so.0")
    def test_model():
        ...

verifies the spec on the target once per session and fails the test, with the first mismatch, if the
library adds in another order. `assert_same_bits(a, b)` is a fixture, and a function of this module.
"""
from __future__ import annotations

from typing import Any, Dict, Tuple

import pytest

from . import bits
from ._spec import Spec, Verdict

_verdicts: Dict[Tuple[str, str], Verdict] = {}


def check_same_bits(a: Any, b: Any) -> None:
    """Fail with the number of differing elements and the first of them, in hexadecimal."""
    __tracebackhide__ = True
    comparison = bits.equal(a, b)
    if not comparison:
        pytest.fail(str(comparison), pytrace=False)


@pytest.fixture
def assert_same_bits() -> Any:
    return check_same_bits


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "order(spec, target=None, **options): fail unless the target "
                            "(default: the one that was captured) still adds in the spec's order")


def _first_mismatch(verdict: Verdict) -> str:
    for entry in verdict.report.get("entries", []):
        for wrong in entry.get("mismatches", []):
            return (f"{entry.get('routine', '')} {wrong['context']}: expected {wrong['expected']}, got "
                    f"{wrong['got']}")
    return "the report says where"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("order"):
        spec = Spec.open(mark.args[0])
        options = dict(mark.kwargs)
        target = options.pop("target", None) or spec.target
        key = (spec.hash, target)
        if key not in _verdicts:
            _verdicts[key] = spec.verify(target, progress=False, **options)
        if not _verdicts[key]:
            pytest.fail(f"{target} no longer adds in the order of {mark.args[0]} "
                        f"({spec.hash[:12]}): {_first_mismatch(_verdicts[key])}", pytrace=False)
