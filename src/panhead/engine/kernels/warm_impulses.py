"""First guess of impulses: those of the step before at the contacts that are still there."""

import numpy as np

from panhead.engine.jit.compiler import allocating


@allocating
def carry_over(old_pair, old_points, old_P, pair, points):
    """P (n, 6) of contacts now, from the nearest contact of the same pair before; every old one is used once.

    Contacts of a pair stand behind one another, pairs in an order that may differ.
    """
    n, m = pair.shape[0], old_pair.shape[0]
    P, used = np.zeros((n, old_P.shape[1])), np.zeros(m, np.bool_)
    code = np.zeros(m, np.int64)
    for j in range(m):
        code[j] = old_pair[j, 0] * 1_000_003 + old_pair[j, 1]
    order = np.argsort(code)
    for i in range(n):
        wanted = pair[i, 0] * 1_000_003 + pair[i, 1]
        low, high = 0, m
        while low < high:
            middle = (low + high) // 2
            if code[order[middle]] < wanted:
                low = middle + 1
            else:
                high = middle
        best, nearest = -1, np.inf
        while low < m and code[order[low]] == wanted:
            j = order[low]
            far = 0.0
            for k in range(3):
                far += (points[i, k] - old_points[j, k]) ** 2
            if not used[j] and far < nearest:
                best, nearest = j, far
            low += 1
        if best >= 0:
            used[best] = True
            for k in range(P.shape[1]):
                P[i, k] = old_P[best, k]
    return P
