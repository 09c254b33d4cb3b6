"""Exported participant as an FMI importer sees it: variables, steps, states.

This is what runs inside an exported unit; ``unit_two`` and ``unit_three`` put it behind FMI 2.0 and 3.0.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import io
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, final

import numpy as np

from panhead.engine.system import Vector
from panhead.errors import SimulationError
from panhead.runs.fmi import exportable_units

NEEDS = "The importing machine needs Python with panhead installed"
#: Importers add up times in their own way; more than this share of a step apart is another time.
_SAME_TIME = 1e-6
# An importer that is not Python itself ends the interpreter as the last thing, when CasADi's own constants are
# gone already; expressions that are collected then would ask for them and bring the process down.
atexit.register(gc.freeze)


@functools.cache
def _end_once(resources: Path) -> None:
    """Let the binary of the FMU end the interpreter before anything else ends.

    At the end of a process the binaries of pythonfmu and pythonfmu3 let go of it twice: in the destructor of the
    pointer they hold it by, then in the one of the library, which finds that pointer destroyed and writes where other
    things may be. Their own function as the handler that comes first leaves nothing to either of them.
    """
    for path in resources.parent.glob("binaries/*/*.so") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError, AttributeError):  # not the one in use, or mended
            binary = ctypes.CDLL(str(path), mode=os.RTLD_NOLOAD | os.RTLD_NOW)  # held: it is called at the very end
            ctypes.CDLL(None).on_exit(binary.finalizePythonInterpreter, None)


class ServedUnit:
    """Participant described in ``resources``/unit.toml, its inputs and their rates, its outputs."""

    def __init__(self, resources: str) -> None:
        path = Path(resources) / "unit.toml"
        text = path.read_text(encoding="utf-8")
        self.unit = exportable_units.read(text, path.name)
        self.side = self.unit.side()
        self.token = uuid.uuid5(uuid.NAMESPACE_OID, text)  # no trace of the machine, as a uuid1 would be
        self.u = np.array(self.unit.rest_inputs(), dtype=float)
        self.rate = np.zeros(len(self.side.inputs))
        self._y: Vector | None = None  # outputs with u as it is
        self._shift: float | None = None  # the importer's time minus the side's
        _end_once(path.parent)

    @property
    def about(self) -> str:
        kind = (type(self.unit).__doc__ or "").splitlines()[0]
        return f"{self.unit.name}: {kind} {NEEDS}."

    @property
    def time(self) -> float:
        """Time as the importer counts it [s]."""
        return self.side.time + (self._shift or 0.0)

    def set_input(self, k: int, value: float) -> None:
        if value != self.u[k]:
            self.u[k], self._y = value, None

    def set_rate(self, k: int, value: float) -> None:
        self.rate[k] = value

    def output(self, k: int) -> float:
        if self._y is None:
            self._y = np.asarray(self.side.observe(self.u), dtype=float)
        return float(self._y[k])

    def begin(self) -> None:
        """End the initialisation: sides may adjust their accelerations to the inputs they see then."""
        self._y = np.asarray(self.side.observe(self.u), dtype=float)

    def step(self, t: float, dt: float) -> None:
        """Advance by dt with inputs at constant rates; afterwards the inputs have their end values."""
        if self._shift is None:
            self._shift = t - self.side.time
        if abs(t - self._shift - self.side.time) > _SAME_TIME * dt:
            raise SimulationError(
                f"step requested from t = {t!r} s, but the FMU is at {self.side.time + self._shift!r} s"
            )
        u1 = self.u + self.rate * dt
        self._y = np.asarray(self.side.advance(dt, self.u, u1), dtype=float)
        self.u = u1

    def copy_state(self) -> Snapshot:
        return Snapshot(self.u.copy(), self.rate.copy(), self._shift, self.side.copy_state())

    def restore_copy(self, kept: Snapshot | list[np.ndarray]) -> None:
        whole: Snapshot = _replant(self.copy_state(), iter(kept)) if isinstance(kept, list) else kept
        self.u, self.rate = whole.u.copy(), whole.rate.copy()
        self._shift = None if whole.shift is None or np.isnan(whole.shift) else float(whole.shift)
        self.side.restore_copy(whole.side)
        self._y = None


@final
class Snapshot(NamedTuple):
    """State of an FMU."""

    u: Vector
    rate: Vector
    shift: float | None
    side: Any


def to_bytes(kept: Any) -> bytes:
    """State as bytes: its numbers, in order, as NumPy arrays."""
    if not isinstance(kept, list):
        kept = _leaves(kept)
    file = io.BytesIO()
    for leaf in kept:
        np.save(file, leaf, allow_pickle=False)
    return file.getvalue()


def from_bytes(text: bytes) -> list[np.ndarray]:
    """Numbers of a state; ``ServedUnit.restore_copy`` restores them."""
    file, found = io.BytesIO(text), []
    while file.tell() < len(text):
        found.append(np.load(file, allow_pickle=False))
    return found


def _leaves(tree: Any) -> list[np.ndarray]:
    if isinstance(tree, tuple):
        return [leaf for branch in tree for leaf in _leaves(branch)]
    return [np.asarray(np.nan if tree is None else tree)]


def _replant(tree: Any, leaves: Any) -> Any:
    """A tree of the same shape with other leaves."""
    if isinstance(tree, tuple):
        branches = [_replant(branch, leaves) for branch in tree]
        make = getattr(type(tree), "_make", tuple)  # a NamedTuple stays one
        return make(branches)
    leaf = next(leaves)
    return leaf if isinstance(tree, np.ndarray) else leaf.item()


#: Exponents of base units of the units that ports have, for importers that check them.
BASE = {
    "s": {"s": 1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s²": {"m": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N/s": {"kg": 1, "m": 1, "s": -3},
}
_PER_SECOND = {"m": "m/s", "m/s": "m/s²", "N": "N/s"}


class ServedValue(NamedTuple):
    """Variable of the FMU."""

    name: str
    unit: str  #: a key of BASE, or empty
    about: str
    get: Callable[[], float]
    set: Callable[[float], None] | None  #: None: an output


def entries(s: ServedUnit) -> Iterator[ServedValue]:
    """All variables: inputs, their rates, outputs."""
    for k, p in enumerate(s.side.inputs):
        yield ServedValue(p.name, _known_unit(p.unit), p.about, partial(_at, s, "u", k), partial(s.set_input, k))
    for k, p in enumerate(s.side.inputs):
        about = f"rate of {p.name} during the next step; 0: it is held"
        unit = _PER_SECOND.get(p.unit, "")
        get, put = partial(_at, s, "rate", k), partial(s.set_rate, k)
        yield ServedValue(f"der({p.name})", unit, about, get, put)
    for k, p in enumerate(s.side.outputs):
        yield ServedValue(p.name, _known_unit(p.unit), p.about, partial(s.output, k), None)


def _known_unit(unit: str) -> str:
    return unit if unit in BASE else ""


def _at(s: ServedUnit, row: Literal["u", "rate"], k: int) -> float:
    return float((s.u if row == "u" else s.rate)[k])
