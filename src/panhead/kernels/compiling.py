"""How kernels are compiled: parts, and the whole they end up in.

Numba optimises a function with everything it calls and writes machine code for it as soon as it is compiled, so
that what lies n calls deep is optimised n times. A ``part``, which only kernels call, is left as it comes from
the front end; the ``whole``, which Python calls, links all of them into one module, optimised once. Neither may
allocate: nothing is reference-counted then, which saves as much again.
"""

from __future__ import annotations

import gc

from numba import njit, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.extending import intrinsic

#: For functions that only kernels call: without an entrance from Python, which takes long to compile where
#: many arrays are handed over.
inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class _Quiet:
    """The code generator of a part: no environment to set in code that does not exist yet."""

    def __init__(self, codegen):
        self._codegen = codegen

    def __getattr__(self, name):
        return getattr(self._codegen, name)

    def set_env(self, name, env):
        """Nothing to set."""


class _Raw(JITCodeLibrary):
    """Code that is only parsed."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout


class _Part(_Raw):
    """The code of a part: neither optimised nor turned into machine code."""

    def finalize(self):
        self._finalized = True

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        return _Quiet(self._codegen)


class _Whole(_Raw):
    """The code of a whole: with that of all its parts, and of theirs."""

    def finalize(self):
        found = list(self._linking_libraries)
        for library in found:  # grows on the way
            if isinstance(library, _Part):
                found += [part for part in library._linking_libraries if part not in found]
        self._linking_libraries = found
        super().finalize()

    def _optimize_final_module(self):
        # once, as there are no counts of references to prune first; the costlier passes gain nothing in speed
        passes, builder = self._codegen._module_pass_manager(opt=1)
        passes.run(self._final_module, builder)


class _Flags(Flags):
    """Options that never change: hashed once, where Numba hashes them at every operator it looks up."""

    def __init__(self, flags):
        super().__init__(flags)
        self._hash = super().__hash__()

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        return self is other or super().__eq__(other)

    def copy(self):
        return self


_KNOWN = {}  # text of the options → options; one object is compared faster than two equal ones


class _Compiler(CompilerBase):
    """Numba's passes; another library for the code; no search for garbage on the way (an eighth of the time)."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        text = repr(self.state.flags)
        self.state.flags = _KNOWN.setdefault(text, _Flags(self.state.flags))

    def define_pipelines(self):
        state = self.state
        kind = _Part if state.flags.no_cpython_wrapper else _Whole
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(state)]

    def compile_extra(self, func):
        on = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if on:
                gc.enable()


def part(fastmath=False):
    """A function that only kernels call; ``fastmath`` as in Numba."""
    return njit(
        pipeline_class=_Compiler,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        error_model="numpy",
        _nrt=False,
        fastmath=fastmath,
    )


#: A function that Python calls, kept on disk with all its parts.
whole = njit(pipeline_class=_Compiler, cache=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False)

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
