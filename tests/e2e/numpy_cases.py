"""Products of random NumPy arrays: numpy_cases.py CASES SEED FILE writes one digest per case.

1-D, 2-D and stacked operands of dot, matmul, inner, tensordot and einsum, float32 and float64,
C and Fortran order, transposed and strided views, the shapes of empty arrays included. The data
have cancellation, so that another order gives other bits. Deterministic: two processes see the same
cases, and the digests say where their bits part. numpy_products.py compares them.
"""
import hashlib
import json
import sys

import numpy as np


def data(random, shape, dtype):
    values = random.uniform(-2, 2, shape) * 2.0 ** random.integers(-12, 13, shape)
    return values.astype(dtype)


def most(shape):
    """How many times larger an array may be, or its rows longer, for the sake of gaps."""
    return min(3000, 2 + 2 ** 14 // max(int(np.prod(shape)), 1))


def array(random, shape, dtype):
    """Its memory in C or Fortran order, or elements of a larger array, one column for instance."""
    way = random.integers(0, 6)
    if way == 0 and len(shape) > 1:
        return np.asfortranarray(data(random, shape, dtype))
    if way == 1 and len(shape) > 1:
        return data(random, (*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)
    if way == 2:
        step = int(random.integers(2, 2 + most(shape)))
        larger = data(random, (*shape[:-1], shape[-1] * step), dtype)
        return larger[..., ::step]
    if way == 3 and len(shape) > 1:
        # Rows that do not touch: a leading dimension with padding, or, where a row has one element,
        # a vector with an increment.
        pad = int(random.integers(1, 1 + most(shape)))
        return data(random, (*shape[:-1], shape[-1] + pad), dtype)[..., :-pad]
    if way == 4 and len(shape) == 1:
        matrix = data(random, (*shape, int(random.integers(2, 2 + most(shape)))), dtype)
        return matrix[::random.choice([-1, 1]), int(random.integers(0, matrix.shape[1]))]
    return data(random, shape, dtype)


def size(random):
    way = random.integers(0, 20)
    if way == 0:
        return int(random.integers(0, 3))
    if way == 1:
        return int(random.integers(100, 400))
    return int(random.integers(1, 65))


def case(random):
    """A description of the case, and its result."""
    dtype = [np.float32, np.float64][random.integers(0, 2)]
    m, n, k, b = size(random), size(random), size(random), int(random.integers(1, 4))
    kinds = ["vector", "matrix_vector", "vector_matrix", "matrix", "stack", "stack_matrix", "gram",
             "inner", "tensordot", "einsum", "out"]
    kind = kinds[random.integers(0, len(kinds))]
    name = f"{kind} {np.dtype(dtype).name} m={m} n={n} k={k} b={b}"
    make = lambda *shape: array(random, shape, dtype)
    product = [np.dot, np.matmul][random.integers(0, 2)]
    if kind == "vector":
        return name, product(make(k * 40), make(k * 40))
    if kind == "matrix_vector":
        return name, product(make(m, k), make(k))
    if kind == "vector_matrix":
        return name, product(make(k), make(k, n))
    if kind == "matrix":
        return name, product(make(m, k), make(k, n))
    if kind == "stack":
        return name, np.matmul(make(b, m, k), make(b, k, n))
    if kind == "stack_matrix":
        return name, np.matmul(make(b, m, k), make(k, n))
    if kind == "gram":
        a = make(m, k)
        return name, product(a, a.T)
    if kind == "inner":
        return name, np.inner(make(m, k), make(n, k))
    if kind == "tensordot":
        return name, np.tensordot(make(m, b, k), make(k, b, n), axes=([2, 1], [0, 1]))
    if kind == "einsum":
        paths = [("ij,jk->ik", ((m, k), (k, n))), ("ji,jk->ik", ((k, m), (k, n))),
                 ("ij,j->i", ((m, k), (k,))), ("ijk,jkl->il", ((m, b, k), (b, k, n))),
                 ("ij,jk,kl->il", ((m, k), (k, n), (n, m)))]
        path, shapes = paths[random.integers(0, len(paths))]
        operands = [array(random, shape, dtype) for shape in shapes]
        # With optimize, contractions of two operands become tensordot, and so BLAS.
        return f"{name} {path}", np.einsum(path, *operands, optimize=True)
    out = np.full((m, n), 7, dtype)
    return name, np.matmul(make(m, k), make(k, n), out=out)


def main():
    cases, seed, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random = np.random.Generator(np.random.PCG64(seed))
    results = []
    for _ in range(cases):
        name, result = case(random)
        text = np.ascontiguousarray(result).tobytes()
        results.append([name, list(np.shape(result)), hashlib.sha256(text).hexdigest()])
    with open(file, "w") as out:
        json.dump(results, out)


if __name__ == "__main__":
    main()
