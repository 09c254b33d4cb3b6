"""Disk cache of a function's compiled overloads: a file per signature, safe for concurrent processes.

A file is named by the signature and by the fingerprint of the function; what has none is compiled in every process.
"""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.typing import Signature

from panhead.engine.jit import kernel_cache
from panhead.engine.jit.fingerprint import Unknown, fingerprint, type_text, value_text


class OverloadCache(NullCache):
    """The compiled forms of one function."""

    def __init__(self, function, options):
        self._function, self._options = function, options

    def load_overload(self, sig, target_context):
        """The compiled form for a signature, or None."""
        target_context.refresh()
        name = self._file(sig)
        content = None if name is None else kernel_cache.read(name)
        # keeping.read has seen that nobody else wrote it, and that it is whole
        return None if content is None else CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig, data):
        """Keep a compiled form."""
        name = None if data.library.has_dynamic_globals else self._file(sig)
        if name is not None:
            kernel_cache.write(name, dumps(data._reduce()))

    def _file(self, signature):
        """The name of a compiled form, or None where it is not to be kept."""
        if kernel_cache.folder() is None:
            return None
        source = Path(self._function.__code__.co_filename)
        kinds = (*signature.args, signature.return_type) if isinstance(signature, Signature) else signature
        try:
            what = repr(([type_text(kind) for kind in kinds], value_text(self._options), fingerprint(self._function)))
        except Unknown:
            return None
        if source.parent not in kernel_cache.ROOMS and source.is_file():
            what += source.read_text(encoding="utf-8")
        return f"{source.stem}.{self._function.__name__}.{hashlib.sha256(what.encode()).hexdigest()[:16]}.kernel"
