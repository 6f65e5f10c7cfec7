"""Exact sums of every kind of operand, beside fractions and math.fsum."""
import array
import fractions
import math
import random
import threading

import numpy as np
import pytest
import reprosum
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as some_numpy
from reprosum import exact

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def rounded(value, dtype=np.float64):
    """The float nearest to a fraction."""
    if dtype == np.float64:
        return float(value)
    nearest = np.float32(float(value))  # perhaps rounded twice: the neighbours decide
    candidates = [np.nextafter(nearest, np.float32(-np.inf)), nearest,
                  np.nextafter(nearest, np.float32(np.inf))]
    def far(x):
        return (abs(fractions.Fraction(float(x)) - value), int(x.view(np.uint32)) & 1)
    return float(min((x for x in candidates if np.isfinite(x)), key=far))


def exact_sum(x):
    return sum((fractions.Fraction(float(one)) for one in np.asarray(x).reshape(-1)),
               fractions.Fraction(0))


@given(st.lists(FLOATS, max_size=60))
def test_sum_is_that_of_fsum(numbers):
    try:
        expected = math.fsum(numbers)
    except OverflowError:
        return
    assert exact.sum(np.array(numbers)) == expected
    assert exact.sum(numbers) == expected
    assert exact.sum(array.array("d", numbers)) == expected
    assert exact.sum(x for x in numbers) == expected


@given(some_numpy.arrays(st.sampled_from([np.float32, np.float64, ">f4", ">f8"]),
                         some_numpy.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6),
                         elements=st.floats(-1e6, 1e6, width=32)), st.data())
def test_views_of_any_layout(base, data):
    view = base
    if base.ndim:
        view = base[data.draw(some_numpy.basic_indices(base.shape))]
        view = np.asarray(view).transpose()
    native = np.float32 if base.dtype.itemsize == 4 else np.float64
    assert exact.sum(view) == rounded(exact_sum(view), native)


def test_subarrays_that_are_not_aligned_and_read_only():
    record = np.zeros(9, np.dtype([("pad", "u1"), ("x", "f8"), ("y", "f4")]))
    record["x"], record["y"] = np.arange(9) / 3, np.arange(9) / 7
    assert exact.sum(record["x"]) == rounded(exact_sum(record["x"]))
    assert exact.sum(record["y"]) == rounded(exact_sum(record["y"]), np.float32)
    fixed = np.arange(10.0)
    fixed.flags.writeable = False
    assert exact.sum(fixed) == 45
    assert exact.sum(np.broadcast_to(np.float64(0.1), (4, 5))) == rounded(20 * fractions.Fraction(0.1))
    assert exact.sum(fixed[::-2]) == 25
    assert exact.sum(np.lib.stride_tricks.sliding_window_view(fixed, 3)) == 8 * 9 / 2 * 3
    assert exact.sum(memoryview(b"\0" * 16).cast("d")) == 0


def test_along_an_axis():
    x = np.random.default_rng(5).standard_normal((3, 4, 5))
    for axis in (0, 1, -1):
        out = exact.sum(x, axis=axis)
        moved = np.moveaxis(x, axis, -1)
        assert out.shape == moved.shape[:-1]
        assert all(out[at] == rounded(exact_sum(moved[at])) for at in np.ndindex(out.shape))


@pytest.mark.parametrize("wrong", [np.arange(3), np.zeros(2, complex), np.zeros(2, np.float16),
                                   b"abc", np.zeros(2, "m8[s]")])
def test_other_types_are_refused_in_words(wrong):
    with pytest.raises(ValueError, match="float32|float64|dtype 'm'"):
        exact.sum(wrong)


@pytest.mark.parametrize("wrong", [None, 3.5, object(), {}])
def test_what_is_no_array_is_refused(wrong):
    with pytest.raises(TypeError, match="array|buffer"):
        exact.sum(wrong)


@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=40))
def test_dot(pairs):
    x, y = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    value = sum((fractions.Fraction(a) * fractions.Fraction(b) for a, b in pairs),
                fractions.Fraction(0))
    try:
        expected = rounded(value)
    except OverflowError:
        expected = math.inf if value > 0 else -math.inf
    assert exact.dot(x, y) == expected
    assert exact.dot(x[::-1], y[::-1]) == expected


def test_dot_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="fit"):
        exact.dot(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="types"):
        exact.dot(np.zeros(3), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="dimensions"):
        exact.dot(np.zeros((3, 1)), np.zeros(3))


def test_norm_and_asum():
    assert exact.norm(np.array([3 * 2.0**600, 4 * 2.0**600])) == 5 * 2.0**600
    assert exact.asum(np.array([-1.0, 2.0, -0.0])) == 3
    assert exact.norm([]) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matmul(dtype):
    rng = np.random.default_rng(7)
    shapes = [((3, 4), (4, 2)), ((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)),
              ((2, 1, 3, 4), (5, 4, 2)), ((0, 4), (4, 2)), ((3, 0), (0, 2))]
    for left, right in shapes:
        a, b = rng.standard_normal(left).astype(dtype), rng.standard_normal(right).astype(dtype)
        for x, y in [(a, b), (a.copy(order="F"), b.copy(order="F")), (a[..., ::-1], b)]:
            out = exact.matmul(x, y)
            assert out.dtype == dtype and out.shape == np.matmul(x, y).shape
            wide = np.matmul(np.vectorize(lambda v: fractions.Fraction(float(v)), otypes=[object])(x),
                             np.vectorize(lambda v: fractions.Fraction(float(v)), otypes=[object])(y)
                             ) if x.size and y.size else np.zeros(out.shape, object)
            expected = np.vectorize(lambda v: rounded(fractions.Fraction(v), dtype),
                                    otypes=[float])(np.asarray(wide, object))
            assert np.array_equal(np.asarray(out, float), expected)


def test_matmul_refuses_in_words():
    with pytest.raises(ValueError, match="do not fit"):
        exact.matmul(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="float32"):
        exact.matmul(np.zeros((2, 2), int), np.zeros((2, 2), int))
    with pytest.raises(ValueError, match="number"):
        exact.matmul(np.float64(2), np.zeros((2, 2)))


def test_special_values_and_workers():
    assert math.isnan(exact.sum([math.inf, -math.inf]))
    assert exact.sum([math.inf, 1.0]) == math.inf
    assert math.copysign(1, exact.sum([-0.0, -0.0])) == -1
    x = np.random.default_rng(1).standard_normal(100_000) * 1e10
    one = exact.sum(x)
    exact.set_workers(2)
    assert exact.sum(x) == one
    exact.set_workers(1)
    with pytest.raises(reprosum.BadArgument):
        exact.set_workers(0)


def test_threads_share_an_array():
    x = np.random.default_rng(2).standard_normal(50_000)
    expected, got = exact.sum(x), []
    threads = [threading.Thread(target=lambda: got.append(exact.sum(x))) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert got == [expected] * 8


def test_order_does_not_matter():
    numbers = [random.Random(3).uniform(-1, 1) * 10.0 ** e for e in range(-300, 300)]
    shuffled = numbers[:]
    random.Random(4).shuffle(shuffled)
    assert exact.sum(numbers) == exact.sum(shuffled)
