"""capture() of functions and libraries."""
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import reprosum

BLAS = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3"
OTHER = "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"
pytestmark = pytest.mark.skipif(not reprosum.has_capture, reason="an exact-only wheel")


def agrees(spec, rng, sizes):
    for dtype in (np.float32, np.float64):
        for n in sizes:
            x = (rng.standard_normal(2 * n) * 10.0 ** rng.integers(-5, 5, 2 * n)).astype(dtype)
            for view in (x[:n], x[::2], x[::-2]):
                if spec.covers(view):
                    assert spec.sum(view) == float(np.sum(view))
            assert spec.covers(x[:n])


def test_numpy_sum_in_this_process():
    caller, threads = threading.current_thread(), set()
    def total(x):
        threads.add(threading.current_thread())
        return np.sum(x)
    spec = reprosum.capture(total, n_max=1000)
    assert threads == {caller}
    agrees(spec, np.random.default_rng(8), [*range(1, 200), 1000])
    quick = {"kind": "sum", "vectors": 50, "progress": False}
    assert spec.verify(np.sum, **quick)
    assert not spec.verify(lambda x: x.dtype.type(sum(x.tolist())), **quick)
    assert "numpy" in str(spec.document["provenance"])


def test_numpy_sum_in_another_process():
    spec = reprosum.capture(np.sum, subprocess=True, n_max=3000)
    agrees(spec, np.random.default_rng(8), [*range(1, 200), 1000, 2999])
    assert spec.verify(spec.target, progress=False)
    assert "numpy" in str(spec.document["provenance"])


def test_functions_of_two_vectors():
    spec = reprosum.capture(lambda x, y: x @ y, n_max=500, increments="1:1", dtypes="float64")
    x, y = np.random.default_rng(10).standard_normal((2, 321))
    assert spec.dot(x, y) == x @ y


def test_what_a_function_raises_comes_out():
    calls = []
    def fickle(x):
        calls.append(x.size)
        if len(calls) > 100:
            raise ZeroDivisionError("enough")
        return np.sum(x)
    with pytest.raises(ZeroDivisionError, match="enough"):
        reprosum.capture(fickle, kind="sum", n_max=1000)
    assert len(calls) == 101
    with pytest.raises(TypeError):
        reprosum.capture(lambda x: "text", kind="sum")
    with pytest.raises(ValueError, match="no float32"):
        reprosum.capture(lambda x: x.sum(dtype=np.float64), kind="sum", n_max=100)


def test_kept_arrays_are_safe():
    kept = []
    def keep(x):
        kept.append(x)
        return np.sum(x)
    reprosum.capture(keep, kind="sum", dtypes="float64", n_max=64, increments="1:1")
    assert sum(one.size for one in kept) > 0 and all(np.sum(one) is not None for one in kept)


def test_a_library_and_progress():
    seen = []
    def look(stage, calls, seconds):
        assert threading.current_thread() is threading.main_thread()
        seen.append((stage, calls))
    spec = reprosum.capture(BLAS, routines="ddot", n_max=2000, increments="1:1", progress=look)
    assert seen and seen[-1][1] > 0 and any("ddot" in stage for stage, _ in seen)
    x, y = np.random.default_rng(9).standard_normal((2, 777))
    total = 0.0
    for a, b in zip(x, y):
        total = float(np.float64(total) + a * b)
    assert spec.dot(x, y) == pytest.approx(total)


def test_an_exception_of_progress_ends_it():
    class Enough(Exception):
        pass
    def stop(stage, calls, seconds):
        raise Enough
    begun = time.monotonic()
    with pytest.raises(Enough):
        reprosum.capture(BLAS, progress=stop)
    assert time.monotonic() - begun < 60


def test_control_c_ends_it():
    code = textwrap.dedent(f"""
        import reprosum
        print("begun", flush=True)
        try:
            reprosum.capture({BLAS!r}, progress=False)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n" and child.returncode == 0


def test_what_cannot_be_captured_is_said():
    with pytest.raises(ValueError, match="imported by name"):
        reprosum.capture(lambda x: x.sum(), subprocess=True)
    with pytest.raises(ValueError, match="threads|thread count"):
        reprosum.capture(np.sum, threads="1,2")
    with pytest.raises(reprosum.NotCovered, match="not_a_sum"):
        reprosum.capture(np.max, kind="sum", n_max=100)
    with pytest.raises(reprosum.EnvironmentFault):
        reprosum.capture("blas:/no/such/library.so")
    with pytest.raises(reprosum.BadArgument, match="no-such"):
        reprosum.capture(BLAS, no_such=1)


PLUGIN_TEST = """
import numpy as np
import pytest

@pytest.mark.order({spec!r}, target={target!r}, vectors=50)
def test_order():
    pass

def test_same(assert_same_bits):
    assert_same_bits(np.ones(3), np.ones(3))

def test_flip(assert_same_bits):
    x = np.ones(3)
    y = x.copy()
    y[1] = np.nextafter(1, 2)
    assert_same_bits(x, y)
"""


def test_the_plugin_can_fail(tmp_path):
    spec = tmp_path / "reference.json"
    reprosum.capture(BLAS, routines="ddot", n_max=500, increments="1:1", progress=False).save(spec)
    for name, target in [("right", BLAS), ("other", OTHER)]:
        test = tmp_path / f"test_{name}.py"
        test.write_text(PLUGIN_TEST.format(spec=str(spec), target="blas:" + target))
        ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "reprosum.pytest_plugin",
                              "-p", "no:cacheprovider", str(test)], capture_output=True, text=True,
                             timeout=500)
        assert "1 of 3 elements differ, first at [1]" in ran.stdout, ran.stdout + ran.stderr
        if name == "right":
            assert "2 passed" in ran.stdout, ran.stdout
        else:
            assert "no longer adds in the order" in ran.stdout and "expected" in ran.stdout
