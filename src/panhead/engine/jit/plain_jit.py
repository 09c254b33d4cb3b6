"""Kernel compilation with Numba's documented interface only.

Every function is compiled by itself, with everything it calls, and tuples of arrays are handed over by value. Compiled
code is kept in Numba's own cache, below the folder of ``kernel_cache``, whose key knows the sources of all kernels.
"""

from __future__ import annotations

from numba import cfunc, config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from panhead.engine.jit import kernel_cache

__all__ = ["address_of", "allocating", "entrance", "part", "tuple_at", "whole"]


def part(function, fastmath):
    """See ``compiler``, here and below."""
    return _with_cache(lambda cache: njit(function, error_model="numpy", fastmath=fastmath, cache=cache))


def whole(function):
    return _with_cache(lambda cache: njit(function, error_model="numpy", cache=cache))


allocating = whole


def entrance(function, signature):
    return _with_cache(lambda cache: cfunc(signature, error_model="numpy", cache=cache)(function))


def _with_cache(compiled):
    """Compile with Numba's cache in the folder of the key, if there is one."""
    folder, before = kernel_cache.folder(), config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return compiled(folder is not None)
    finally:
        config.CACHE_DIR = before


@intrinsic
def address_of(typingctx, handed):
    """Address of a tuple of arrays, valid during a call."""

    def codegen(context, builder, signature, args):
        at = cgutils.alloca_once_value(builder, args[0])
        return builder.ptrtoint(at, context.get_value_type(types.int64))

    return types.int64(handed), codegen


@intrinsic
def tuple_at(typingctx, address, like):
    """The tuple of arrays that stands at an address; ``like`` is its type."""
    kind = like.instance_type

    def codegen(context, builder, signature, args):
        value = builder.load(builder.inttoptr(args[0], context.get_value_type(kind).as_pointer()))
        context.nrt.incref(builder, kind, value)  # whoever gets it lets go of it
        return value

    return kind(types.int64, like), codegen
