"""Fingerprint of a kernel: all that determines its machine code, as text; equal fingerprints, equal programs.

Numba compiles a function together with the values of its free variables, of its defaults and of the globals it names,
and with every function among them. All of these are followed here, functions to the end of their calls. What belongs to
Numba, NumPy or Python stands for itself: its version is part of the key of the folder.
"""

from __future__ import annotations

import hashlib
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

_FOREIGN = {"builtins", "llvmlite", "math", "numba", "numpy", "operator"}  # packages known by their versions
_NUMBERS = bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype, range, slice
_known: dict[int, tuple[object, str]] = {}  # id of a function → itself, so that nothing else gets it, and its text
_under_way: list[FunctionType] = []


class Unknown(Exception):
    """A value that code may depend on and that cannot be fingerprinted: the code must not be cached."""


def fingerprint(function) -> str:
    """The fingerprint of a Python or compiled function, 32 hexadecimal digits; raises ``Unknown``."""
    if id(function) not in _known:
        _known[id(function)] = function, hashlib.sha256(repr(_function(function)).encode()).hexdigest()[:32]
    return _known[id(function)][1]


def value_text(value) -> str:
    """Text that is equal only for equal values; raises ``Unknown``."""
    return repr(_value(value))


def type_text(kind) -> str:
    """A Numba type in words: its name, where that says all of it."""
    if isinstance(kind, types.Dispatcher):
        return fingerprint(kind.dispatcher)
    if isinstance(kind, types.BaseNamedTuple):  # the name lacks the names of the fields
        made = kind.instance_class
        return repr((made.__module__, made.__qualname__, kind.fields, [type_text(each) for each in kind]))
    if isinstance(kind, types.BaseTuple):
        return repr([type_text(each) for each in kind])
    if isinstance(kind, types.Callable) and not isinstance(kind, types.NumberClass):
        raise Unknown(str(kind))
    return str(kind)


def _function(function):
    if isinstance(function, Dispatcher):
        return value_text(function.targetoptions), fingerprint(function.py_func)
    if isinstance(function, _Intrinsic):
        return "intrinsic", fingerprint(_python(function))
    if function in _under_way:
        raise Unknown(f"{function.__qualname__}, which calls itself by way of others")
    _under_way.append(function)
    try:
        return function.__qualname__, _code(function.__code__), [_value(each) for each in _bound(function)]
    finally:
        _under_way.pop()


def _python(value):
    """The Python function behind a compiled one."""
    if isinstance(value, Dispatcher):
        return value.py_func
    return value._defn if isinstance(value, _Intrinsic) else value


def _bound(function):
    """Values that are compiled into a function: free variables, defaults, globals."""
    try:
        free = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        raise Unknown(f"a free variable of {function.__qualname__} that is not set") from None
    named = _names(function.__code__)
    found = {name: function.__globals__[name] for name in named & function.__globals__.keys()}
    for module in [value for value in found.values() if isinstance(value, ModuleType) and not _is_foreign(value)]:
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in named & vars(module).keys()}
    found = {name: value for name, value in found.items() if _python(value) is not function}  # it may call itself
    return free, function.__defaults__, function.__kwdefaults__, found


def _names(code) -> set[str]:
    """Names of globals and attributes, of nested functions too."""
    inner = [_names(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inner)


def _code(code):
    """Bytecode, constants and names."""
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_argcount, code.co_flags, names, [_value(each) for each in code.co_consts]


def _value(value):
    """A tree of texts."""
    if isinstance(value, _NUMBERS):
        return type(value).__name__, repr(value)
    if isinstance(value, tuple | list):
        return type(value).__qualname__, [_value(each) for each in value]
    if isinstance(value, set | frozenset):
        return type(value).__name__, sorted(repr(_value(each)) for each in value)
    if isinstance(value, dict):
        return "dict", sorted((repr(_value(key)), repr(_value(each))) for key, each in value.items())
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return repr(value.dtype), value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, CodeType):
        return _code(value)
    return _named_value(value)


def _named_value(value):
    """Text of functions, classes, modules and types."""
    if isinstance(value, ModuleType):
        return "module", value.__name__
    if isinstance(value, types.Type):
        return "type", type_text(value)
    if isinstance(value, type | BuiltinFunctionType | np.ufunc) or _is_foreign(value):
        fields = value._fields if isinstance(value, type) and issubclass(value, tuple) else ()  # of a named tuple
        return type(value).__name__, getattr(value, "__module__", ""), value.__name__, fields
    if isinstance(value, FunctionType | Dispatcher | _Intrinsic):
        return "function", fingerprint(value)
    raise Unknown(f"{type(value).__name__} {value!r}")


def _is_foreign(value) -> bool:
    if not isinstance(value, FunctionType | ModuleType | type):
        return False
    module = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return module.split(".")[0] in _FOREIGN
