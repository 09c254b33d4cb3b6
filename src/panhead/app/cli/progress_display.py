"""Progress of a job: a bar on a terminal, a line every few seconds in a log; the time left is that of the whole job."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from panhead.app.cli.terminal_output import stderr_console

if TYPE_CHECKING:
    from panhead.engine.jit.compilation import Compilation

_REFRESH_INTERVAL: Final = 0.25  # s, between drawings of a progress bar
_LOG_INTERVAL: Final = 5.0  # s, between lines that say how far it is
_SURE: Final = 0.02  # share of the job after which its rate is known


@dataclass
class TimeLeft:
    """Time left of a job from the share done: its rate since the first report; a clock that compiling does not move."""

    clock: Callable[[], float] = monotonic
    begun: tuple[float, float] | None = None  #: time and share of the first report; a resumed job does not begin at 0
    last: tuple[float, float] = (0.0, 0.0)  #: of the latest one

    def report(self, share: float) -> None:
        """Take note of the share done; it never falls."""
        now = self.clock()
        if self.begun is None:
            self.begun = now, share
        self.last = now, max(share, self.last[1])

    def seconds(self) -> float | None:
        """Seconds left from now; None while the rate is not known, or once they have passed without a report."""
        if self.begun is None or self.last[1] - self.begun[1] < _SURE:
            return None
        rate = (self.last[1] - self.begun[1]) / max(self.last[0] - self.begun[0], 1e-9)
        left = (1.0 - self.last[1]) / rate - (self.clock() - self.last[0])
        return left if left >= 0.0 or self.last[1] >= 1.0 else None

    def words(self) -> str:
        """ "about 12 s left"; empty while that is not known."""
        left = self.seconds()
        if left is None:
            return ""
        return f"about {max(left, 0.0):.0f} s left" if left < 90.0 else f"about {left / 60.0:.0f} min left"


@dataclass(frozen=True, slots=True)
class ProgressDisplay:
    """Progress of a run, as a bar on a terminal or as lines in a log."""

    progress: Callable[[float, str], None]
    bar: Progress | None = None

    def __call__(self, fraction: float, message: str = "") -> None:
        self.progress(fraction, message)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the bar while something else is printed."""
        if self.bar is not None:
            self.bar.stop()
        yield
        if self.bar is not None:
            self.bar.start()


@contextmanager
def progress_bar(name: str) -> Iterator[ProgressDisplay]:
    """Progress bar; call it with the completed share of the whole job and a message."""
    console = stderr_console()
    with compile_notice(console) as compilation:
        shown = _bar(name, compilation, console) if console.is_terminal else _log(name, compilation)
        with shown as display:
            yield display


@contextmanager
def _bar(name: str, compilation: Compilation, console: Console) -> Iterator[ProgressDisplay]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TextColumn("{task.fields[left]}"),
    )
    left = TimeLeft(lambda: monotonic() - compilation.seconds())
    with Progress(*columns, console=console, transient=True, refresh_per_second=1 / _REFRESH_INTERVAL) as bar:
        task, drawn = bar.add_task(name, total=1.0, left=""), monotonic()

        def progress(fraction: float, message: str = "") -> None:
            nonlocal drawn
            left.report(fraction)
            now = monotonic()
            refresh = now - drawn > _REFRESH_INTERVAL  # here and now: the bar's own thread waits while kernels compute
            drawn = now if refresh else drawn
            words = f"{name} {message}".strip()
            bar.update(task, completed=left.last[1], description=words, left=left.words(), refresh=refresh)

        yield ProgressDisplay(progress, bar)


@dataclass
class _Log:
    """Lines of a job without a terminal."""

    name: str
    compilation: Compilation
    left: TimeLeft = field(init=False)
    message: str = ""
    begun: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self.left = TimeLeft(lambda: monotonic() - self.compilation.seconds())

    def report(self, fraction: float, message: str = "") -> None:
        self.left.report(fraction)
        self.message = message

    def line(self) -> str:
        """How far it is, "wind 12 of 64 samples 19 %, about 40 s left", or the time it took so far."""
        share = "preparing" if self.left.begun is None else f"{100 * self.left.last[1]:.0f} %"
        what = " ".join(filter(None, (self.name, self.message, share)))
        if self.compilation.active:
            return f"{what}, compiling"
        return f"{what}, {self.left.words() or f'{monotonic() - self.begun:.0f} s so far'}"


@contextmanager
def _log(name: str, compilation: Compilation) -> Iterator[ProgressDisplay]:
    """A line every few seconds, whether or not something was reported since the last one."""
    log, done = _Log(name, compilation), threading.Event()

    def tell() -> None:
        while not done.wait(_LOG_INTERVAL):
            print(log.line(), file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield ProgressDisplay(log.report)
    finally:
        done.set()
        teller.join()


@contextmanager
def compile_notice(console: Console) -> Iterator[Compilation]:
    """Say once, when the first kernel has to be compiled, that this takes a while, and in the end how long it took."""
    from panhead.engine.jit.compilation import watch_compilation
    from panhead.engine.jit.kernel_cache import folder

    tell = lambda words: console.print(words, markup=False)
    first = "compiling kernels for this processor, which takes a minute or two; later runs load them"
    with watch_compilation(lambda: tell(first)) as compilation:
        try:
            yield compilation
        finally:
            if compilation.seconds() > 0.0:
                tell(f"kernels compiled within {compilation.seconds():.0f} s; they are kept in {folder()}")
