"""Accumulators: any grouping of the same terms gives the same state."""
import fractions
import math
import multiprocessing
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reprosum.exact import Accumulator

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30)


@given(NUMBERS, st.randoms(use_true_random=False))
def test_any_grouping_gives_the_same_state(numbers, random):
    whole = Accumulator(np.array(numbers, float))
    parts = numbers[:]
    random.shuffle(parts)
    grouped = Accumulator()
    while parts:
        cut = random.randint(1, len(parts))
        piece, parts = parts[:cut], parts[cut:]
        how = random.choice(["numbers", "array", "merge", "bytes"])
        if how == "numbers":
            for one in piece:
                grouped.add(one)
        elif how == "array":
            grouped.add(np.array(piece))
        elif how == "merge":
            grouped.merge(Accumulator(piece))
        else:
            grouped.merge(Accumulator(piece).save())
    assert grouped == whole
    assert grouped.hash() == whole.hash() and len(whole.hash()) == 32
    assert Accumulator.load(whole.save()) == whole
    assert pickle.loads(pickle.dumps(whole)) == whole
    try:
        assert whole.value == math.fsum(numbers)
    except OverflowError:
        pass


@given(NUMBERS)
def test_what_is_subtracted_is_gone(numbers):
    total = Accumulator(numbers)
    total.subtract(np.array(numbers, float))
    assert total.value == 0
    # A term that came and went leaves the value as it was. The state tells: -0 and +0 differ in
    # whether all terms were zeros of one sign.
    total = Accumulator(numbers)
    before = total.value
    total += 1e300
    total.subtract(1e300)
    assert total.value == before


def test_products_and_types():
    x, y = np.arange(5.0) / 3, np.arange(5.0) / 7
    total = Accumulator()
    total.add_products(x, y)
    assert total.value == float(sum(fractions.Fraction(a) * fractions.Fraction(b)
                                    for a, b in zip(x, y)))
    total.subtract_products(x[::-1], y[::-1])
    assert total.value == 0
    small = Accumulator(np.float32([0.1, 0.2]), dtype="float32")
    assert small.dtype == "float32" and len(small.save()) == 88
    small.add(0.5)
    with pytest.raises(ValueError):
        small.add(0.1)  # no float32
    with pytest.raises(ValueError):
        small.add(np.array([0.5]))
    with pytest.raises(ValueError):
        small.merge(Accumulator())
    with pytest.raises(ValueError):
        Accumulator(dtype="float16")


def test_rounding_modes():
    total = Accumulator([1.0, 2.0**-60])
    assert total.round("down") == total.round("zero") == total.round("nearest") == 1
    assert total.round("up") == math.nextafter(1, 2)
    assert total.round("up", dtype="float32") == float(np.nextafter(np.float32(1), np.float32(2)))
    with pytest.raises(ValueError):
        total.round("sideways")


@pytest.mark.parametrize("wrong", [b"", b"abc", b"\0" * 88, b"\xff" * 544])
def test_other_bytes_are_refused(wrong):
    with pytest.raises(ValueError):
        Accumulator.load(wrong)
    total = Accumulator([1.5])
    with pytest.raises(ValueError):
        total.merge(wrong)
    assert total.value == 1.5


def test_integers_are_exact_or_refused():
    total = Accumulator()
    total.add(2**53)
    total.add([1, 2])
    assert total.value == 2.0**53 + 4  # ties to even
    with pytest.raises(ValueError):
        total.add(2**53 + 1)
    with pytest.raises(OverflowError):
        total.add(10**400)
    with pytest.raises(ValueError):
        total.add([2**53 + 1])


def test_threads_share_one():
    total, x = Accumulator(), np.random.default_rng(6).standard_normal(5000)
    def work():
        for _ in range(20):
            total.add(x)
            total.merge(total.copy())
            total.subtract(x[:3])
            total.round()
    single = threading.Thread(target=work)
    single.start()
    single.join()
    def add():
        for _ in range(50):
            total.add(x)
    before = total.copy()
    threads = [threading.Thread(target=add) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for _ in range(200):
        before.add(x)
    assert total == before


def piece(seed):
    return Accumulator(np.random.default_rng(seed).standard_normal(1000))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools(method):
    whole = Accumulator()
    for seed in range(4):
        whole.add(np.random.default_rng(seed).standard_normal(1000))
    with multiprocessing.get_context(method).Pool(2) as pool:
        total = Accumulator()
        for part in pool.map(piece, range(4)):
            total.merge(part)
    assert total == whole
