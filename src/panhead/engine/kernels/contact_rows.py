"""Gaps and sliding speeds of contacts from their tables: γ = W v + w."""

from panhead.engine.jit.compiler import whole
from panhead.engine.kernels.element_families import ELEMENTS, IDX, LANES, K, M, N, call_at, gather


@whole
def add_contact_rows(tables, work, code, t, q, nothing, gap, W, w):
    """gap (n,), W (rows, nq) and w (rows,) += those of every contact; code (families, 2): address, rows of each."""
    contact, first = 0, 0
    for f in range(tables.sizes.shape[0]):
        count, n = tables.sizes[f, ELEMENTS], tables.sizes[f, N]
        width, rows = n + tables.sizes[f, M] + tables.sizes[f, K], code[f, 1]
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, (0.0, 0.0, 0.0), q, q, q, nothing, nothing)
            call_at(code[f, 0], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                places = tables.sizes[f, IDX] + (e + lane) * width
                gap[contact] += work.y[lane]
                for i in range(rows):
                    for j in range(n):
                        W[first + i, tables.idx[places + j]] += work.y[(1 + i * n + j) * LANES + lane]
                    w[first + i] += work.y[(1 + rows * n + i) * LANES + lane]
                contact += 1
                first += rows
