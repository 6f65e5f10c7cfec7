import math

import numpy as np
import pytest
from reprosum import bits


def test_equal():
    assert bits.equal(np.arange(4.0), np.arange(4.0))
    assert bits.equal(math.nan, math.nan)
    assert not bits.equal(0.0, -0.0)
    assert str(bits.equal(1.0, 1.0)) == "all 1 elements have the same bits"


def test_what_differs_is_named():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    b = a.copy()
    b[1, 0] = np.nextafter(b[1, 0], 4)
    found = bits.equal(a, b)
    assert not found and found.differing == 1 and found.first == (1, 0) and found.ulps == 1
    assert str(found) == ("1 of 4 elements differ, first at [1, 0]: 0x1.8000000000000p+1 and "
                          "0x1.8000000000001p+1; at most 1 ulp apart")
    assert bits.equal(np.float32(-1e-45), np.float32(1e-45)).ulps == 2
    assert bits.equal(math.nan, 1.0).ulps is None


def test_what_cannot_be_compared():
    assert "shapes" in str(bits.equal(np.zeros(2), np.zeros(3)))
    assert "types" in str(bits.equal(np.zeros(2), np.zeros(2, np.float32)))
    assert not bits.equal(np.zeros(0), np.zeros((0, 1)))
    with pytest.raises(ValueError, match="int64"):
        bits.equal(np.arange(3), np.arange(3))
    assert bits.equal(np.zeros(2, ">f8"), np.zeros(2, ">f8"))
