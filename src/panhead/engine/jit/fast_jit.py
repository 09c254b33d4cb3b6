"""Fast kernel compilation: parts stay unoptimised and are linked into a whole, which is optimised once.

Numba optimises a function with everything it calls and writes machine code for it as soon as it is compiled, so
that what lies n calls deep is optimised n times. A ``part``, which only kernels call, is left as it comes from
the front end; the ``whole``, which Python calls, links all of them into one module, optimised once; called by a
kernel it is a part of that. Neither allocates: nothing is reference-counted then, which saves as much again.

All of this leans on Numba's inner workings, which differ from one version to the next: ``compiler`` chooses it for
versions it was tested with, and ``plain_jit`` otherwise.
"""

from __future__ import annotations

import contextlib
import gc
from typing import ClassVar

import llvmlite.binding as llvm
from llvmlite.binding import Linkage
from numba import types
from numba.core import cgutils
from numba.core.base import _wrap_impl
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, PassManager
from numba.core.cpu import CPUContext
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.targetconfig import ConfigStack
from numba.core.typing import Context

from panhead.engine.jit.fingerprint import Unknown, fingerprint
from panhead.engine.jit.numba_lowering import KernelLowering, element_access
from panhead.engine.jit.overload_cache import OverloadCache
from panhead.engine.jit.struct_by_reference import StructReference, address_of, by_address, mark_read_only, tuple_at


class _PartCodegen:
    """The code generator of a part: no environment to set in code that does not exist yet."""

    def __init__(self, codegen):
        self._codegen = codegen

    def __getattr__(self, name):
        return getattr(self._codegen, name)

    def set_env(self, name, env):
        """Nothing to set."""


class _UnoptimisedLibrary(JITCodeLibrary):
    """Code that is only parsed; a whole is verified once, at its end."""

    def add_ir_module(self, ir_module):
        self._raise_if_finalized()
        self._add_text(ir_module.name, cgutils.normalize_ir_text(str(ir_module)))

    def _add_text(self, name, text):
        parsed = llvm.parse_assembly(text)
        parsed.name = name
        self.add_llvm_module(parsed)

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout


class _PartLibrary(_UnoptimisedLibrary):
    """The code of a part: neither optimised nor turned into machine code.

    A long one stays a function. Inlined, as LLVM does with whatever is called at one place only, the parts of a step
    would be one function of 20 000 instructions, and what looks for registers and common terms takes more than linear
    time: a third of what LLVM takes in all, for a call in some microseconds.
    """

    long: ClassVar = 70_000  # characters before optimisation, about a thousand instructions

    def _add_text(self, name, text):
        super()._add_text(name, text)
        if len(text) > self.long:
            for function in self._final_module.functions:
                if not function.is_declaration:
                    function.add_function_attribute("noinline")

    def finalize(self):
        self._finalized = True

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        return _PartCodegen(self._codegen)


class _WholeLibrary(_UnoptimisedLibrary):
    """The code of a whole: with that of all its parts, and of theirs."""

    def finalize(self):
        self._own = {f.name for f in self._final_module.functions if not f.is_declaration}
        found = list(self._linking_libraries)
        for library in found:  # grows on the way
            if isinstance(library, _PartLibrary):
                found += [part for part in library._linking_libraries if part not in found]
        self._linking_libraries = found
        super().finalize()

    def _optimize_final_module(self):
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in self._own:
                function.linkage = Linkage.private  # seen by nobody else: dropped where it is inlined
        # once, as there are no counts of references to prune first; the costlier passes gain nothing in speed
        passes, builder = self._codegen._module_pass_manager(opt=1)
        passes.run(self._final_module, builder)


class _Flags(Flags):
    """Options that never change: one object for all equal ones, where Numba compares them at every operator."""

    known: ClassVar = {}  # text of the options → options

    @classmethod
    def of(cls, flags):
        text = repr(flags)
        if text not in cls.known:
            cls.known[text] = cls(flags)
            cls.known[text]._hash = hash(text)
        return cls.known[text]

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        return self is other

    def copy(self):
        return self


class _Types(Context):
    """Numba's context of types, which remembers what an operator or a builtin makes of its arguments."""

    known: ClassVar = {}

    def resolve_function_type(self, func, args, kws):
        if kws or (isinstance(func, types.Type) and not isinstance(func, types.Function)):
            return super().resolve_function_type(func, args, kws)
        asked = func, args, ConfigStack.top_or_none()
        try:
            answer = self.known.get(asked)
        except TypeError:  # a slice of constants has no hash
            return super().resolve_function_type(func, args, kws)
        if answer is None:
            answer = self.known[asked] = super().resolve_function_type(func, args, kws)
        return answer

    def refresh(self):
        """Done once for a whole."""


class _Target(CPUContext):
    """Numba's context of the processor, which does not look for all of NumPy again at every call."""

    def refresh(self):
        for registry in list(self._registries):
            self.install_registry(registry)

    def get_function(self, fn, sig, _firstcall=True):
        access = element_access(fn, sig)
        return super().get_function(fn, sig, _firstcall) if access is None else _wrap_impl(access, self, sig)

    def declare_function(self, module, fndesc):
        function = super().declare_function(module, fndesc)
        if any(isinstance(kind, StructReference) for kind in fndesc.argtypes):
            mark_read_only(function)
        return function


def _with_methods_of(kind, context):
    """A context with the methods of ``kind`` and the state of another."""
    seen = object.__new__(kind)
    seen.__dict__ = context.__dict__
    return seen


class _Compiler(CompilerBase):
    """Numba's passes; another library for the code; no search for garbage on the way (an eighth of the time)."""

    #: Passes that have nothing to do here: no closures, lists, array expressions, nor loops over mixed tuples.
    idle: ClassVar = {"with_lifting", "inline_closure_likes", "literal_unroll", "inline_overloads", "nopython_rewrites"}
    quick: ClassVar = {}

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        self.apart = flags.no_cpython_wrapper and flags.no_cfunc_wrapper
        if not self.apart or not self.quick:
            targetctx.refresh()
        if not self.quick:
            self.quick.update(types=_with_methods_of(_Types, typingctx), target=_with_methods_of(_Target, targetctx))
        super().__init__(
            self.quick["types"], self.quick["target"], library, args, return_type, _Flags.of(flags), locals
        )

    def define_pipelines(self):
        state = self.state
        kind = _PartLibrary if self.apart else _WholeLibrary
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        passes = PassManager("kernel")
        wanted = DefaultPassBuilder.define_nopython_pipeline(state).passes
        ours = {"native_lowering": KernelLowering}
        passes.passes = [(ours.get(each._name, each), about) for each, about in wanted if each._name not in self.idle]
        passes.finalize()
        return [passes]

    def compile_extra(self, func):
        on = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if on:
                gc.enable()


__all__ = ["address_of", "allocating", "entrance", "part", "tuple_at", "whole"]

_BARE = {"nopython": True, "error_model": "numpy", "_nrt": False}
_HIDDEN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class _Inner(CPUDispatcher):
    """A function that kernels call; it gets tuples by their address, and a constant is no type of its own."""

    def __init__(self, function, options):
        super().__init__(function, targetoptions=options | _HIDDEN, pipeline_class=_Compiler)

    def get_call_template(self, args, kws):
        return super().get_call_template(tuple(by_address(types.unliteral(each)) for each in args), kws)


class _Function(CPUDispatcher):
    """A function that Python calls; for kernels it is a part."""

    def __init__(self, function, options):
        inner = _Inner(function, options)

        def entered(*arguments):
            return inner(*arguments)

        super().__init__(entered, targetoptions=options | {"no_cfunc_wrapper": True}, pipeline_class=_Compiler)
        self.part, self.py_func = inner, function
        self._cache = OverloadCache(function, options)

    @property
    def _numba_type_(self):
        return self.part._numba_type_

    def compile(self, sig):
        """The same; the code's name tells what it is, so that no two forms meet under one, whoever compiled them."""
        with contextlib.suppress(Unknown):
            self._compiler.py_func.__qualname__ = f"{self.py_func.__name__}_{fingerprint(self.py_func)}"
        return super().compile(sig)


def part(function, fastmath):
    """See ``compiler``, here and below."""
    return _Inner(function, _BARE | {"fastmath": fastmath})


def whole(function):
    return _Function(function, _BARE)


def allocating(function):
    return _Function(function, _BARE | {"_nrt": True})


def entrance(function, signature):
    options = _BARE | {"_nrt": True}
    made = CFunc(function, normalize_signature(signature), {}, options, pipeline_class=_Compiler)
    made._cache = OverloadCache(function, options)
    made.compile()
    return made
