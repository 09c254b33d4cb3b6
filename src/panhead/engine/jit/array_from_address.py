"""Arrays from memory addresses, for hand-written rows of a table.

A row's numbers are float64; the address of an array fits exactly. A directory is one block of memory, read
both as integers ``i`` and as floats ``x``: a scalar takes one place, an array four (address, three sizes).
"""

from __future__ import annotations

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from panhead.engine.jit.compiler import allocating


@intrinsic
def pointer_to(typingctx, address):
    """An address as a pointer."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.int64), codegen


@allocating
def directory_at(address, places):
    """The directory at an address, as integers and as floats."""
    at = pointer_to(np.int64(address))
    return carray(at, (places,), np.int64), carray(at, (places,), np.float64)


@allocating
def vector_at(i, k):
    """The one-dimensional array whose entry begins at place k."""
    return carray(pointer_to(i[k]), (i[k + 1],), np.float64)


@allocating
def matrix_at(i, k):
    """The two-dimensional array whose entry begins at place k."""
    return carray(pointer_to(i[k]), (i[k + 1], i[k + 2]), np.float64)


@allocating
def cube_at(i, k):
    """The three-dimensional array whose entry begins at place k."""
    return carray(pointer_to(i[k]), (i[k + 1], i[k + 2], i[k + 3]), np.float64)
