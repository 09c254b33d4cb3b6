"""Pass named tuples of arrays between kernels by reference.

A tuple of thirty arrays is some two hundred numbers. Numba hands them over one by one and copies all of them
wherever one is looked at, which is most of what there would be to compile. Here a function gets the address of the
tuple instead, and loads what it names.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_cast, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model


class StructReference(types.Type):
    """The address of a named tuple that nobody changes."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__(f"{kind.instance_class.__name__} at {hash(kind) & 0xFFFFFFFF:x}")

    @property
    def key(self):
        return self.kind


def by_address(kind):
    """Type with which an argument of this type is passed on; a few numbers are passed by value."""
    if isinstance(kind, types.BaseNamedTuple) and not all(
        isinstance(each, types.Number | types.Boolean) for each in kind
    ):
        return StructReference(kind)
    return kind


@register_model(StructReference)
class _Pointer(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.kind).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = StructReference

    def generic_resolve(self, handed, attr):
        return by_address(handed.kind[handed.kind.fields.index(attr)]) if attr in handed.kind.fields else None


@lower_getattr_generic(StructReference)
def _field(context, builder, handed, value, attr):
    place = handed.kind.fields.index(attr)
    at = cgutils.gep_inbounds(builder, value, 0, place)
    kind = handed.kind[place]
    if isinstance(by_address(kind), StructReference):
        return at
    return impl_ret_borrowed(context, builder, kind, builder.load(at))


@lower_cast(types.BaseNamedTuple, StructReference)
def _address(context, builder, kind, to, value):
    at = cgutils.alloca_once(builder, value.type)
    builder.store(value, at)
    return at


def mark_read_only(function):
    """Mark every tuple passed to an LLVM function as read-only."""
    for argument in function.args[2:]:  # behind the places of the result and of an exception
        pointer = argument.type
        if isinstance(pointer, ir.PointerType) and isinstance(pointer.pointee, ir.Aggregate):
            argument.add_attribute("noalias")


@intrinsic
def address_of(typingctx, handed):
    """Address of a tuple of arrays, valid during a call."""

    def codegen(context, builder, signature, args):
        return builder.ptrtoint(args[0], context.get_value_type(types.int64))

    return types.int64(handed), codegen


@intrinsic
def tuple_at(typingctx, address, like):
    """The tuple of arrays that stands at an address; ``like`` is its type."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return StructReference(like.instance_type)(types.int64, like), codegen
