#!/usr/bin/env python3
"""show_order.py SPEC ROUTINE N: one summation tree, by libreprosum_capture and nothing else.

LD_LIBRARY_PATH says where the library lies, unless the system's loader finds it."""
import ctypes
import sys


def main(path, routine, n):
    library = ctypes.CDLL("libreprosum_capture.so.0")
    library.reprosum_capture_last_error.restype = ctypes.c_char_p
    library.reprosum_text_free.argtypes = [ctypes.c_void_p]
    library.reprosum_spec_free.argtypes = [ctypes.c_void_p]
    library.reprosum_show.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    spec, text = ctypes.c_void_p(), ctypes.c_char_p()
    options = (ctypes.c_char_p * 5)(b"routine", routine.encode(), b"n", n.encode(), None)
    if (library.reprosum_spec_read(path.encode(), ctypes.byref(spec)) != 0 or
            library.reprosum_show(spec, options, ctypes.byref(text)) != 0):
        sys.exit(library.reprosum_capture_last_error().decode())
    print(text.value.decode(), end="")
    library.reprosum_text_free(text)
    library.reprosum_spec_free(spec)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
