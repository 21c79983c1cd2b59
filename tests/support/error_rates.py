"""The bound of an error rate that a script measured."""

import math


def upper_bound(found, tries):
    """Returns the upper end of the one-sided 95 % interval of Clopper and Pearson (Biometrika 26, 1934)."""
    low, high = found / tries, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        at_most = sum(math.comb(tries, k) * middle**k * (1 - middle)**(tries - k) for k in range(found + 1))
        low, high = (middle, high) if at_most > 0.05 else (low, middle)
    return high
