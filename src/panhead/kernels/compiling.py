"""How kernels are compiled."""

from numba import njit, types
from numba.extending import intrinsic

#: For functions that only kernels call: without an entrance from Python, which takes long to compile where
#: many arrays are handed over.
inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

#: For functions that are called in one place: they become part of their caller before it is compiled. A function
#: of its own is optimised again with every caller above it, so that long chains of calls take minutes.
inlined = njit(inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True)


@intrinsic
def address_of(typingctx, value):
    """Where a tuple of arrays stands, for the time of a call."""

    def codegen(context, builder, signature, args):
        place = context.data_model_manager[signature.args[0]].get_value_type()
        at = builder.alloca(place)
        builder.store(args[0], at)
        return builder.ptrtoint(at, context.get_value_type(types.int64))

    return types.int64(value), codegen


@intrinsic
def tuple_at(typingctx, address, like):
    """The tuple of arrays that stands at an address; ``like`` is its type."""
    kind = like.instance_type

    def codegen(context, builder, signature, args):
        place = context.get_value_type(kind).as_pointer()
        value = builder.load(builder.inttoptr(args[0], place))
        context.nrt.incref(builder, kind, value)
        return value

    return kind(types.int64, like), codegen
