"""Small dense linear algebra without allocation, for matrices of a few dozen rows."""

from panhead.engine.jit.compiler import part, whole


@part()
def lu_factor(A, n, b):
    """A = P L U in place, of the first n rows and columns, by elimination with row exchanges; b (≥ n, m) follows them.

    Returns the smallest pivot relative to the largest (0: singular).
    """
    largest, smallest = 0.0, 1e300
    for k in range(n):
        top = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[top, k]):
                top = i
        pivot = abs(A[top, k])
        largest, smallest = max(largest, pivot), min(smallest, pivot)
        if not pivot > 0.0:  # NaN as well
            return 0.0
        if top != k:
            for j in range(n):
                A[k, j], A[top, j] = A[top, j], A[k, j]
            for j in range(b.shape[1]):
                b[k, j], b[top, j] = b[top, j], b[k, j]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    return smallest / largest if n else 1.0


@part()
def lu_substitute(A, n, b):
    """b = U⁻¹ L⁻¹ b in place, b (≥ n, m), with the factors of ``lu_factor`` and b in their order of rows."""
    if b.shape[1] == 1:  # sums stay in a register
        for i in range(1, n):
            s = b[i, 0]
            for k in range(i):
                s -= A[i, k] * b[k, 0]
            b[i, 0] = s
        for i in range(n - 1, -1, -1):
            s = b[i, 0]
            for k in range(i + 1, n):
                s -= A[i, k] * b[k, 0]
            b[i, 0] = s / A[i, i]
        return
    for i in range(1, n):
        for k in range(i):
            for j in range(b.shape[1]):
                b[i, j] -= A[i, k] * b[k, j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(b.shape[1]):
                b[i, j] -= A[i, k] * b[k, j]
        for j in range(b.shape[1]):
            b[i, j] /= A[i, i]


@whole
def lu_solve(A, b):
    """Solve A x = b in place; A (n, n) becomes its factors, b (n, m) becomes x.

    Returns the smallest pivot relative to the largest (0: singular, b is lost).
    """
    quality = lu_factor(A, A.shape[0], b)
    if quality != 0.0:
        lu_substitute(A, A.shape[0], b)
    return quality


@whole
def cholesky(A):
    """A = L Lᵀ in place (lower triangle); returns False if A is not positive definite."""
    n = A.shape[0]
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k]
        if not d > 0.0:
            return False
        root = d**0.5
        A[j, j] = root
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / root
    return True


@whole
def cholesky_solve(L, b):
    """Solve L Lᵀ x = b in place for the columns of b (n, m)."""
    n = L.shape[0]
    for j in range(b.shape[1]):
        for i in range(n):
            s = b[i, j]
            for k in range(i):
                s -= L[i, k] * b[k, j]
            b[i, j] = s / L[i, i]
        for i in range(n - 1, -1, -1):
            s = b[i, j]
            for k in range(i + 1, n):
                s -= L[k, i] * b[k, j]
            b[i, j] = s / L[i, i]


@whole
def dependent_columns(G, work, dependent, independent):
    """Split columns so that G[:, dependent] is well conditioned: elimination with full pivoting.

    G (m, n) with m ≤ n, work (m, n), dependent (m,), independent (n − m,), both int64.
    Returns the smallest pivot relative to the largest; 0 if the rows depend on one another.
    """
    m, n = G.shape
    for i in range(m):
        for j in range(n):
            work[i, j] = G[i, j]
    largest = 0.0
    smallest = 1e300
    for k in range(m):
        best, r, c = 0.0, -1, -1
        for i in range(m):
            for j in range(n):
                if abs(work[i, j]) > best:
                    best, r, c = abs(work[i, j]), i, j
        if r < 0:
            return 0.0
        largest = max(largest, best)
        smallest = min(smallest, best)
        dependent[k] = c
        for i in range(m):
            factor = work[i, c] / work[r, c]
            if i != r and factor != 0.0:
                for j in range(n):
                    work[i, j] -= factor * work[r, j]
        for j in range(n):  # what is zero is never chosen again
            work[r, j] = 0.0
        for i in range(m):
            work[i, c] = 0.0
    free = 0
    for j in range(n):
        taken = False
        for k in range(m):
            taken = taken or dependent[k] == j
        if not taken:
            independent[free] = j
            free += 1
    return smallest / largest if m else 1.0
