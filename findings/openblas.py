"""OpenBLAS by ctypes: the library of the one package that a finding has unpacked."""
import ctypes
import glob
import os

import numpy as np

path = glob.glob(os.environ["ROOT"] + "/usr/lib/*/openblas-pthread/libopenblas.so.0")[0]
library = ctypes.CDLL(path)
library.openblas_get_corename.restype = ctypes.c_char_p
library.openblas_get_config.restype = ctypes.c_char_p
core = library.openblas_get_corename().decode()
version = " ".join(library.openblas_get_config().decode().split()[:2])


def address(x):
    return x.ctypes.data_as(ctypes.c_void_p)


def dot(x, y):
    double = x.dtype == np.float64
    function = library.cblas_ddot if double else library.cblas_sdot
    function.restype = ctypes.c_double if double else ctypes.c_float
    return function(x.size, address(x), 1, address(y), 1)


def add(x, n, increment):
    library.cblas_dsum.restype = ctypes.c_double
    return library.cblas_dsum(n, address(x), increment)
