"""Numba lowering with fewer instructions for array elements and for variables that go out of scope.

Numba copies the whole description of an array, seven to thirteen numbers, to the stack for each element that is read
or written, and clears every variable at its end. LLVM removes all of it again, after it has been built, written, parsed
and optimised. Here an element is found from the fields it takes, and where nothing is reference-counted a variable just
ends. The machine code is that of before.
"""

from __future__ import annotations

import operator

from numba import types
from numba.core import cgutils
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering


class _Lower(Lower):
    def storevar(self, value, name, argidx=None):
        counted = self.context.enable_nrt or argidx is not None
        super().storevar(value, name, argidx if counted else 0)  # as of an argument: there is no value before to let go

    def delvar(self, name):
        if self.context.enable_nrt:
            super().delvar(name)
        elif name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)  # it is not of one block alone


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Numba's pass that writes LLVM code."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self):
        return _Lower


def element_access(function, signature):
    """Return how an element of an array is read or written, or None for anything else."""
    key = function.get_impl_key(signature) if isinstance(function, types.Callable) else function
    if key is operator.getitem and _is_element(*signature.args):
        return _read
    if key is operator.setitem and _is_element(*signature.args[:2]) and _is_number(signature.args[2]):
        return _write
    return None


def _is_number(kind):
    return isinstance(kind, types.Number | types.Boolean)


def _is_element(array, index):
    if not isinstance(array, types.Array) or not _is_number(array.dtype):
        return False
    kinds = index if isinstance(index, types.BaseTuple) else (index,)
    return len(kinds) == array.ndim and all(isinstance(kind, types.Integer) for kind in kinds)


def _read(context, builder, signature, args):
    array = signature.args[0]
    return context.unpack_value(builder, array.dtype, _place(context, builder, signature, args), align=_align(array))


def _write(context, builder, signature, args):
    array = signature.args[0]
    value = context.cast(builder, args[2], signature.args[2], array.dtype)
    context.pack_value(builder, array.dtype, value, _place(context, builder, signature, args), align=_align(array))


def _align(array):
    return None if array.aligned else 1


def _place(context, builder, signature, args):
    """The address of an element; an index below zero counts from the end."""
    array, index = signature.args[:2]
    fields = context.data_model_manager.lookup(array)
    data, shape, strides = (
        builder.extract_value(args[0], fields.get_field_position(name)) for name in ("data", "shape", "strides")
    )
    sizes, steps = (cgutils.unpack_tuple(builder, each, array.ndim) for each in (shape, strides))
    if isinstance(index, types.BaseTuple):
        kinds, values = tuple(index), cgutils.unpack_tuple(builder, args[1], len(index))
    else:
        kinds, values = (index,), (args[1],)
    at = [
        _nonnegative_index(context, builder, kind, value, size)
        for kind, value, size in zip(kinds, values, sizes, strict=True)
    ]
    return cgutils.get_item_pointer2(context, builder, data, sizes, steps, array.layout, at)


def _nonnegative_index(context, builder, kind, value, size):
    at = context.cast(builder, value, kind, types.intp if kind.signed else types.uintp)
    if not kind.signed or (isinstance(kind, types.IntegerLiteral) and kind.literal_value >= 0):
        return at
    return builder.select(builder.icmp_signed("<", at, at.type(0)), builder.add(at, size), at)
