"""Rows of four numbers in one vector register: loads, stores and the products of tiles and pairs.

The operations are those of ``block_tridiagonal`` in their order, each number rounded as it would be by itself; the
compiler alone does not find the vectors in them.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from panhead.engine.jit.lanes import Lanes, _place

_FOUR = Lanes(4)


def _vector():
    """The type of four numbers; a type of LLVM has no fingerprint, so that none is a global here."""
    return ir.VectorType(ir.DoubleType(), 4)


def _address(context, builder, sig, args):
    """Address of a row, as that of a vector."""
    return builder.bitcast(_place(context, builder, sig, args), _vector().as_pointer())


@intrinsic
def row(typingctx, array, index):
    """The four numbers from ``index`` on, which leaves the last axis open."""

    def codegen(context, builder, sig, args):
        return builder.load(_address(context, builder, sig, args), align=8)

    return _FOUR(array, index), codegen


@intrinsic
def put_row(typingctx, array, index, value):
    """Write four numbers from ``index`` on."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], _address(context, builder, sig, args), align=8)
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


@intrinsic
def no_row(typingctx):
    """Four zeros."""

    def codegen(context, builder, sig, args):
        return ir.Constant(_vector(), None)

    return _FOUR(), codegen


def _pick(builder, a, b, order):
    """Four of the eight numbers of a and b."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), 4), [ir.Constant(ir.IntType(32), k) for k in order])
    return builder.shuffle_vector(a, b, mask)


def _shuffle(order):
    @intrinsic
    def shuffle(typingctx, value):
        def codegen(context, builder, sig, args):
            return _pick(builder, args[0], args[0], order)

        return _FOUR(value), codegen

    return shuffle


#: (y₁, y₀, y₃, y₂): every coordinate's partner
swapped = _shuffle((1, 0, 3, 2))
#: one of the four numbers in every place
spread0, spread1, spread2, spread3 = (_shuffle((k,) * 4) for k in range(4))


@intrinsic
def turned(typingctx, a, b, c, d):
    """Columns of the matrix with the rows a, b, c, d."""

    def codegen(context, builder, sig, args):
        upper, lower = args[:2], args[2:]
        even, odd = ([_pick(builder, *two, (k, k + 4, k + 2, k + 6)) for two in (upper, lower)] for k in (0, 1))
        columns = [_pick(builder, *two, order) for order in ((0, 1, 4, 5), (2, 3, 6, 7)) for two in (even, odd)]
        return cgutils.pack_array(builder, columns)

    return types.UniTuple(_FOUR, 4)(a, b, c, d), codegen


if config.DISABLE_JIT:
    row = lambda array, index: array[index] if len(index) < array.ndim else array[index[:-1]][index[-1] : index[-1] + 4]
    no_row = lambda: np.zeros(4)
    swapped = lambda y: y[[1, 0, 3, 2]]
    spread0, spread1, spread2, spread3 = (lambda y, k=k: y[k] for k in range(4))
    turned = lambda *rows: np.transpose(rows)

    def put_row(array, index, value):
        row(array, index)[:] = value
