"""Calls of machine code: arguments are concatenated in a buffer."""

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.element_families import LANES, call_at


@part()
def put(buffer, at, values):
    """values into buffer[at:]; returns the next place."""
    for i in range(values.shape[0]):
        buffer[at + i] = values[i]
    return at + values.shape[0]


@part()
def put_state(buffer, t, x, u, p, a, lam):
    """(t, x, u, p, a, lam) from the beginning of the buffer; returns the next place."""
    buffer[0] = t
    return put(buffer, put(buffer, put(buffer, put(buffer, put(buffer, 1, x), u), p), a), lam)


@whole
def call_with_state(address, buffer, t, x, u, p, a, lam, extra, out):
    """out = f(t, x, u, p, a, lam, extra)."""
    put(buffer, put_state(buffer, t, x, u, p, a, lam), extra)
    call_at(address, buffer, out)


@whole
def call_over_samples(address, samples, constants, x, y, out):
    """Row s of out (n, ·) from row s of every array of samples, (n, k) each; constants are the same for all rows.

    LANES samples are evaluated at once; x and y are room for their numbers, interleaved.
    """
    total = 0
    for k in range(len(samples)):
        total += samples[k].shape[1]
    for i in range(constants.shape[0]):
        for lane in range(LANES):
            x[(total + i) * LANES + lane] = constants[i]
    n = out.shape[0]
    for s in range(0, n, LANES):
        lanes, at = min(LANES, n - s), 0
        for k in range(len(samples)):
            rows = samples[k]
            for i in range(rows.shape[1]):
                for lane in range(lanes):
                    x[(at + i) * LANES + lane] = rows[s + lane, i]
            at += rows.shape[1]
        call_at(address, x, y)
        for lane in range(lanes):
            for i in range(out.shape[1]):
                out[s + lane, i] = y[i * LANES + lane]
