"""Plain orders of a sum of doubles, to compare results with, and the verdict of a finding.

Python's own floats are IEEE doubles, and each + below is one rounded addition. Nothing here is the
product: a finding is about the library alone."""
import atexit
import os

_broken = []


def check(what, holds):
    """Prints a line; a script whose line does not hold ends with 1."""
    print(("as found  " if holds else "CHANGED   ") + what)
    if not holds:
        _broken.append(what)


def _finish():
    if _broken:
        print(f"{len(_broken)} statements do not hold any more")
        os._exit(1)


atexit.register(lambda: (__import__("sys").stdout.flush(), _finish()))


def sequential(x):
    s = x[0]
    for v in x[1:]:
        s = s + v
    return s


def pairwise(x):
    """NumPy's: halves that are multiples of 8 while longer than 128, then eight chains."""
    n = len(x)
    if n < 8:
        return sequential(x)
    if n > 128:
        half = n // 2 - n // 2 % 8
        return pairwise(x[:half]) + pairwise(x[half:])
    r = list(x[:8])
    whole = n - n % 8
    for i in range(8, whole):
        r[i % 8] = r[i % 8] + x[i]
    s = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for v in x[whole:]:
        s = s + v
    return s


def kahan(x):
    """Compensated summation."""
    s = c = 0.0
    for v in x:
        y = v - c
        t = s + y
        c = (t - s) - y
        s = t
    return s


def always(function, orders, draws):
    """Which of the named orders give the function's bits on every draw."""
    names = set(orders)
    for x in draws:
        got = float(function(x)).hex()
        names = {name for name in names if orders[name]([float(v) for v in x]).hex() == got}
    return names
