"""Decorators that compile functions to kernels: ``part``, ``whole``, ``allocating`` and ``entrance``.

``PANHEAD_JIT=fast`` compiles a kernel and all its parts as one program, cached on disk (``fast_jit``); it leans on the
inner workings of the versions of Numba it was tested with. ``PANHEAD_JIT=plain`` asks Numba for what it documents
(``plain_jit``): slower to compile and to run, the same numbers but for rounding. Without the variable it is the fast
way where the version was tested, and the plain one, with a warning, elsewhere.
"""

from __future__ import annotations

import os
import warnings

import numba
from numba import config

TESTED = (0, 68), (0, 69)  #: versions of Numba that ``fast_jit`` was tested with: from the first to before the second


def _select_compiler():
    """The module that compiles kernels."""
    asked = os.environ.get("PANHEAD_JIT", "")
    if asked not in ("", "fast", "plain"):
        warnings.warn(f"PANHEAD_JIT={asked} is ignored; valid values are fast and plain", RuntimeWarning, stacklevel=2)
        asked = ""
    if asked == "plain" or (not asked and not _is_tested(numba.__version__)):
        return _plain("" if asked else f"Numba {numba.__version__} has not been tested")
    try:
        from panhead.engine.jit import fast_jit
    except (ImportError, AttributeError, TypeError) as error:  # a name, an attribute or a base class that is gone
        return _plain(f"Numba {numba.__version__} lacks an internal interface of fast compilation ({error})")
    return fast_jit


def _is_tested(version: str) -> bool:
    numbers = tuple(int(each) for each in version.split(".")[:2])
    return TESTED[0] <= numbers < TESTED[1]


def _plain(reason: str):
    from panhead.engine.jit import plain_jit

    if reason:
        first, last = (".".join(map(str, each)) for each in TESTED)
        text = (
            f"{reason}: kernels are compiled as with PANHEAD_JIT=plain, which is slower; install "
            f"numba>={first},<{last} for fast ones"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return plain_jit


_jit = _select_compiler()
MODE = _jit.__name__.rpartition(".")[2].removesuffix("_jit")  #: "fast" or "plain"
address_of, tuple_at = _jit.address_of, _jit.tuple_at


def part(fastmath=False):
    """A function that only kernels call; ``fastmath`` as in Numba."""
    return lambda function: function if config.DISABLE_JIT else _jit.part(function, fastmath)


def whole(function):
    """A function that Python calls, kept on disk with all its parts; kernels may call it too."""
    return function if config.DISABLE_JIT else _jit.whole(function)


def allocating(function):
    """Like ``whole``, for a function that creates arrays; functions it calls must return none, or allocate too."""
    return function if config.DISABLE_JIT else _jit.allocating(function)


def entrance(signature):
    """A function that machine code calls by its address, in C's manner; kept on disk with all its parts."""
    return lambda function: _jit.entrance(function, signature)
