"""Time that this process spends compiling kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from numba.core import event


class Compilation(event.Listener):
    """Time spent compiling, from Numba's own events."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin, self._depth, self._since, self._done = begin, 0, 0.0, 0.0

    def on_start(self, _: event.Event) -> None:
        """Begin with a kernel that is not in the cache; what it calls is compiled within it."""
        if self._depth == 0:
            if self._done == 0.0:
                self._begin()
            self._since = monotonic()
        self._depth += 1

    def on_end(self, _: event.Event) -> None:
        """End with a kernel."""
        self._depth -= 1
        if self._depth == 0:
            self._done += monotonic() - self._since

    @property
    def active(self) -> bool:
        """True while a kernel is being compiled."""
        return self._depth > 0

    def seconds(self) -> float:
        """Time spent so far [s]."""
        return self._done + (monotonic() - self._since if self.active else 0.0)


@contextmanager
def watch_compilation(begin: Callable[[], None]) -> Iterator[Compilation]:
    """Measure the time spent compiling; ``begin`` is called once, when the first kernel has to be compiled."""
    compilation = Compilation(begin)
    with event.install_listener("numba:compile", compilation):
        yield compilation
