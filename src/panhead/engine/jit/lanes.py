"""SIMD lanes: several runs at once, one number of each in a vector register.

An element of an array in lanes (``lane_type``) holds a number for every lane; ``take`` and ``put`` move all of them,
and +, − and × act on each by itself. Nothing is contracted or reassociated, and ``fma`` is the exact fused operation of
IEEE 754, so that a lane's bits do not depend on its neighbours, on how many there are, or on the machine.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

_LANES = "lanes"


def lane_type(width):
    """The element of an array with so many lanes."""
    return np.dtype([(_LANES, np.float64, (width,))])


def in_lanes(array):
    """A contiguous array whose last axis runs over the lanes, seen as one in lanes; the same memory."""
    return array.view(lane_type(array.shape[-1]))[..., 0]


class Lanes(types.Type):
    """A float64 for each lane."""

    def __init__(self, width):
        self.width = width
        super().__init__(f"lanes({width})")


@register_model(Lanes)
class _Vector(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.VectorType(ir.DoubleType(), fe_type.width))


def _element_type(kind):
    """Type of an array's element: lanes, or one number."""
    if isinstance(kind.dtype, types.Record):
        return Lanes(kind.dtype.typeof(_LANES).shape[0])
    return kind.dtype


def _widest(kinds):
    """The lanes among some types, or None."""
    found = [kind for kind in kinds if isinstance(kind, Lanes)]
    return found[0] if found and all(isinstance(kind, Lanes | types.Float) for kind in kinds) else None


def _broadcast(builder, value, width):
    """Broadcast a number to every lane; a vector is returned as it is."""
    if isinstance(value.type, ir.VectorType):
        return value
    empty = ir.Constant(ir.VectorType(ir.DoubleType(), width), ir.Undefined)
    one = builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(ir.IntType(32), width), None))


def _arithmetic(context):
    return lambda a, b: _widest((a, b))


def _operate(name):
    def lowered(context, builder, sig, args):
        return getattr(builder, name)(*(_broadcast(builder, each, sig.return_type.width) for each in args))

    return lowered


for _operator, _name in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
    type_callable(_operator)(_arithmetic)
    for _kinds in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        lower_builtin(_operator, *_kinds)(_operate(_name))


def _place(context, builder, sig, args):
    """Address of an element, or of the first one of a row, as of what it holds."""
    kind, value, index = sig.args[0], args[0], cgutils.unpack_tuple(builder, args[1], len(sig.args[1]))
    at = [context.cast(builder, i, of, types.intp) for i, of in zip(index, sig.args[1], strict=True)]
    at += [ir.Constant(ir.IntType(64), 0)] * (kind.ndim - len(at))
    array = context.make_array(kind)(context, builder, value)
    place = cgutils.get_item_pointer(context, builder, kind, array, at, wraparound=False, boundscheck=False)
    return builder.bitcast(place, context.get_value_type(_element_type(kind)).as_pointer())


@intrinsic
def take(typingctx, array, index):
    """The element at ``index``: lanes, or one number that all lanes share."""

    def codegen(context, builder, sig, args):
        return builder.load(_place(context, builder, sig, args), align=8)

    return _element_type(array)(array, index), codegen


@intrinsic
def put(typingctx, array, index, value):
    """Write the lanes at ``index``."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], _place(context, builder, sig, args), align=8)
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


@intrinsic
def take4(typingctx, array, index):
    """The four elements of the row at ``index``."""

    def codegen(context, builder, sig, args):
        return cgutils.pack_array(builder, _row(context, builder, sig, args, 4))

    return types.UniTuple(_element_type(array), 4)(array, index), codegen


@intrinsic
def put4(typingctx, array, index, values):
    """Write the four elements of the row at ``index``."""

    def codegen(context, builder, sig, args):
        place = _place(context, builder, sig, args)
        for k, value in enumerate(cgutils.unpack_tuple(builder, args[2], 4)):
            builder.store(value, builder.gep(place, [ir.Constant(ir.IntType(64), k)]), align=8)
        return context.get_dummy_value()

    return types.void(array, index, values), codegen


def _row(context, builder, sig, args, count):
    """The first elements of the row at an index that leaves the last axis open."""
    place = _place(context, builder, sig, args)
    return [
        builder.load(builder.gep(place, [ir.Constant(ir.IntType(64), k)]), align=8) for k in range(count)
    ]  # fmt: skip


@intrinsic
def four_zeros(typingctx, array):
    """Zero, four times, in as many lanes as an array has."""

    def codegen(context, builder, sig, args):
        return ir.Constant(context.get_value_type(sig.return_type), None)

    return types.UniTuple(_element_type(array), 4)(array), codegen


@intrinsic
def zero(typingctx, array):
    """Zero in as many lanes as an array has."""

    def codegen(context, builder, sig, args):
        return ir.Constant(context.get_value_type(sig.return_type), None)

    return _element_type(array)(array), codegen


def _fused_multiply_add(context, builder, lanes, *values):
    """The machine's a b + c."""
    kind = context.get_value_type(lanes)
    name = f"llvm.fma.v{lanes.width}f64"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, [_broadcast(builder, each, lanes.width) for each in values])


@intrinsic
def fma(typingctx, a, b, c):
    """a b + c, rounded once; lanes or numbers."""
    lanes = _widest((a, b, c))

    def codegen(context, builder, sig, args):
        return builder.fma(*args) if lanes is None else _fused_multiply_add(context, builder, lanes, *args)

    return (lanes or types.float64)(a, b, c), codegen


if config.DISABLE_JIT:  # what is not in lanes runs without the compiler as well
    fma = lambda a, b, c: a * b + c


def _make_block_product(terms, count):
    """A function z, A, index, y → z + B y of the block B that stands in the row A[index], ``count`` numbers.

    terms: row r, place in B, column c of every entry, in the order in which they are added.
    """

    @intrinsic
    def add(typingctx, z, A, index, y):
        def codegen(context, builder, sig, args):
            rows, columns = (cgutils.unpack_tuple(builder, each, 4) for each in (args[0], args[3]))
            B = _row(context, builder, signature(types.void, A, index), args[1:3], count)
            for r, place, c in terms:
                rows[r] = _fused_multiply_add(context, builder, z.dtype, B[place], columns[c], rows[r])
            return cgutils.pack_array(builder, rows)

        return z(z, A, index, y), codegen

    return add


def _make_tile_product(place):
    """``_make_block_product`` for a tile, with the two short chains of ``block_tridiagonal``; place(r, c): index."""

    @intrinsic
    def add(typingctx, z, A, index, y):
        def codegen(context, builder, sig, args):
            rows, columns = (cgutils.unpack_tuple(builder, each, 4) for each in (args[0], args[3]))
            B = _row(context, builder, signature(types.void, A, index), args[1:3], 16)
            fused = lambda r, c, to: _fused_multiply_add(context, builder, z.dtype, B[place(r, c)], columns[c], to)
            first = [fused(r, 1, fused(r, 0, rows[r])) for r in _FOUR]
            times = lambda r, c: builder.fmul(_broadcast(builder, B[place(r, c)], z.dtype.width), columns[c])
            second = [fused(r, 3, times(r, 2)) for r in _FOUR]
            return cgutils.pack_array(builder, [builder.fadd(a, b) for a, b in zip(first, second, strict=True)])

        return z(z, A, index, y), codegen

    return add


_FOUR = range(4)
#: z + B y for a tile B, column by column as ``block_tridiagonal`` keeps it, and z + Bᵀ y
add_tile = _make_tile_product(lambda r, c: 4 * c + r)
add_turned_tile = _make_tile_product(lambda r, c: 4 * r + c)
#: z + B y for pairs B, and z + Bᵀ y
add_pair = _make_block_product([(k, k, k) for k in _FOUR] + [(k, 4 + k, k ^ 1) for k in _FOUR], 8)
add_turned_pair = _make_block_product([(k, k, k) for k in _FOUR] + [(k, 4 + (k ^ 1), k ^ 1) for k in _FOUR], 8)


@intrinsic
def least(typingctx, a, b):
    """The smaller of two, lane by lane."""

    def codegen(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered("<", *args), *args)

    return a(a, b), codegen


@intrinsic
def which_not_above(typingctx, a, b):
    """Bit l of the answer: whether a > b does not hold in lane l."""
    width = _widest((a, b)).width

    def codegen(context, builder, sig, args):
        mask = builder.fcmp_unordered("<=", *(_broadcast(builder, each, width) for each in args))
        return builder.zext(builder.bitcast(mask, ir.IntType(width)), ir.IntType(64))

    return types.int64(a, b), codegen
