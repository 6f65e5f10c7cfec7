"""Specs that ship, replayed from Python; no library is probed."""
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import reprosum
from reprosum import Spec

LIBRARY = os.environ["REPROSUM_LIBRARY_SPECS"]


@pytest.fixture(scope="module")
def openblas():
    return Spec.open(os.path.join(LIBRARY, "openblas-0.3.21-Haswell.json"))


@pytest.fixture(scope="module")
def reference():
    return Spec.open(os.path.join(LIBRARY, "reference-3.11.0.json"))


def in_order(x):
    total = x.dtype.type(0)
    for one in x:
        total = x.dtype.type(total + one)
    return float(total)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_reference_adds_in_order(reference, dtype):
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 100, 1000):
        x, y = rng.standard_normal((2, n)).astype(dtype)
        assert reference.dot(x, y) == pytest.approx(in_order(x * y), rel=1e-3)
    # gemv adds column after column
    a, v = rng.standard_normal((5, 6)), rng.standard_normal(6)
    assert reference.matmul(a, v) == pytest.approx(a @ v)
    assert reference.matmul(v, a.T) == pytest.approx(v @ a.T)
    assert reference.matmul(a, a.T.copy()) == pytest.approx(a @ a.T)


def test_kernels_and_interpreter_agree(openblas):
    other = Spec.open(os.path.join(LIBRARY, "openblas-0.3.21-Haswell.json"))
    other.use("interpreter")
    rng = np.random.default_rng(4)
    for n in (1, 31, 32, 33, 500, 5000):
        x, y = rng.standard_normal((2, n)) * 10.0 ** rng.integers(-9, 9, (2, n))
        assert openblas.dot(x, y).hex() == other.dot(x, y).hex()
        assert openblas.sum(x).hex() == other.sum(x).hex()
        assert openblas.dot(x[::-1], y).hex() == other.dot(x[::-1], y).hex()
    a, b = rng.standard_normal((2, 37, 37))
    for left, right in [(a, b), (a.T, b), (a, b.T), (a[:20], b)]:
        assert reprosum.bits.equal(openblas.matmul(left, right), other.matmul(left, right))
    for left, right in [(a, b[0]), (a.T, b[0]), (b[0], a), (a, b[:, 1])]:
        assert reprosum.bits.equal(openblas.matmul(left, right), other.matmul(left, right))


def test_what_is_not_covered_is_said(reference):
    x = np.zeros(10)
    assert reference.covers(x, x) and not reference.covers(x)  # it has no sum
    assert "sum" in reference.why_not(x)
    with pytest.raises(reprosum.NotCovered, match="sum"):
        reference.sum(x)
    with pytest.raises(LookupError):
        reference.sum(x)
    with pytest.raises(reprosum.NotCovered):
        reference.threads = 77


def test_operands_are_not_copied(openblas):
    record = np.zeros(9, np.dtype([("pad", "u1"), ("x", "f8")]))
    with pytest.raises(ValueError, match="aligned"):
        openblas.sum(record["x"])
    with pytest.raises(ValueError, match="byte order"):
        openblas.sum(np.zeros(3, ">f8"))
    with pytest.raises(ValueError, match="dimensions"):
        openblas.sum(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="by rows nor by columns"):
        openblas.matmul(np.zeros((4, 4))[::2, ::2], np.zeros((2, 2)))
    with pytest.raises(ValueError, match="float32"):
        openblas.sum(np.arange(3))
    with pytest.raises(ValueError):
        openblas.dot(np.zeros(3), np.zeros(4))
    with pytest.raises(TypeError):
        openblas.sum([1.0, 2.0])


def test_documents(openblas, tmp_path):
    path = tmp_path / "again.json"
    openblas.save(path)
    again = Spec.open(path)
    assert again == openblas and again.hash == openblas.hash and len(again.hash) == 64
    assert pickle.loads(pickle.dumps(again)) == openblas
    assert openblas.document["format"].startswith("reprosum-spec/")
    assert "openblas" in openblas.target.lower()
    with pytest.raises(reprosum.BadSpec):
        Spec("{}")
    with pytest.raises(FileNotFoundError):
        Spec.open(tmp_path / "none.json")


@pytest.mark.skipif(not reprosum.has_capture, reason="an exact-only wheel")
def test_show_and_diff(openblas, reference):
    text = openblas.show("ddot", n=20)
    assert "ddot" in text
    assert openblas.show("ddot", n=20, format="svg").startswith("<")
    json.loads(openblas.show(format="json"))
    assert openblas.diff(reference) and openblas.diff(reference).report["schema"]
    assert not openblas.diff(openblas)
    assert "<svg" in openblas._repr_svg_() and "<pre>" in openblas._repr_html_()
    with pytest.raises(reprosum.Error, match="--n: 0 is not between"):
        openblas.show("ddot", n=0)


@pytest.mark.skipif(not reprosum.has_capture, reason="an exact-only wheel")
def test_programs_under_the_drop_in(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np, sys\n"
                      "x = np.arange(1000.0) / 3\n"
                      "print(float(np.dot(x, x)).hex(), sys.argv[1:])\n")
    spec = os.path.join(LIBRARY, "reference-3.11.0.json")
    ran = subprocess.run([sys.executable, "-m", "reprosum", "run", "--spec", spec, str(script), "a",
                          "--b"], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    x = np.arange(1000.0) / 3
    expected = Spec.open(spec).dot(x, x)
    assert ran.stdout.split()[0] == expected.hex() and "['a', '--b']" in ran.stdout
    assert "replayed" in ran.stderr and "cblas_ddot" in ran.stderr
    alone = tmp_path / "alone.py"
    alone.write_text("import reprosum\n"
                     "reprosum.preload(exact=True)\n"
                     "import numpy as np\n"
                     "print(np.dot(np.array([1e100, 1, -1e100]), np.ones(3)))\n")
    ran = subprocess.run([sys.executable, str(alone)], capture_output=True, text=True, timeout=120)
    assert ran.stdout.strip() == "1.0", ran.stderr
    assert "exact" in ran.stderr
    ran = subprocess.run([sys.executable, "-m", "reprosum", "run", "--spec", "no.json", str(script)],
                         capture_output=True, text=True, timeout=120)
    assert ran.returncode == 2 and "no such spec" in ran.stderr
