"""Evaluate quantities and gradients of the runs at a design point, cached on disk."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from panhead.assess.statistics import COMPOSED
from panhead.errors import PanheadError, RunWarning
from panhead.explore.designs.problem import DesignProblem
from panhead.files.atomic_files import write_atomic
from panhead.runs.cables.cables_tape import CableTape
from panhead.runs.gradients.gradient import gradient_of, tape_for_gradient
from panhead.runs.gradients.objectives import objective
from panhead.runs.linear.taped_run import RunTape

Key = tuple[int, str, int]  #: number of a run, number of it, number of a pantograph


class DesignEvaluations:
    """Evaluation cache of an optimisation in one file; a resumed optimisation repeats its steps from it."""

    def __init__(self, path: Path | None, inputs: str) -> None:
        self.path, self.inputs = path, inputs
        self.values: dict[str, dict[str, float]] = {}
        self.slopes: dict[str, dict[str, list[float]]] = {}
        self.failures: dict[str, str] = {}
        if path is not None and path.is_file():
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            if raw["inputs"] == self.inputs:
                self.values, self.slopes, self.failures = raw["values"], raw["slopes"], raw["failures"]
        except (ValueError, KeyError, TypeError):
            return  # cut off or of another version: the search begins anew

    def keep(self) -> None:
        """Store an evaluation."""
        if self.path is not None:
            names = ("inputs", "values", "slopes", "failures")
            write_atomic(self.path, json.dumps({name: getattr(self, name) for name in names}).encode())

    def points(self) -> list[np.ndarray]:
        """Every point at which numbers are known."""
        return [np.frombuffer(bytes.fromhex(key)) for key in self.values]


class Evaluator:
    """x → numbers and gradients of a problem."""

    def __init__(self, problem: DesignProblem, ledger: DesignEvaluations) -> None:
        self.problem, self.ledger = problem, ledger
        self.runs = 0  #: simulated here
        self._at = ""
        self._tapes: dict[int, RunTape | CableTape] = {}

    def numbers(self, x: np.ndarray, keys: Sequence[Key]) -> dict[Key, float] | None:
        """The values of numbers; None where a run cannot be computed."""
        at = x.tobytes().hex()
        if at in self.ledger.failures:
            return None
        known = self.ledger.values.setdefault(at, {})
        missing = [key for key in keys if _text(key) not in known]
        try:
            for key in missing:
                known[_text(key)] = objective(self._tape(x, key[0]), key[1], key[2]).value
        except PanheadError as error:
            del self.ledger.values[at]
            self.ledger.failures[at] = str(error)
        if missing:
            self.ledger.keep()
        return None if at in self.ledger.failures else {key: known[_text(key)] for key in keys}

    def slopes(self, x: np.ndarray, keys: Sequence[Key]) -> dict[Key, np.ndarray]:
        """∂/∂x of numbers, exact."""
        known = self.ledger.slopes.setdefault(x.tobytes().hex(), {})
        before = len(known)
        found = {key: self._slope(x, key, known) for key in keys}
        if len(known) > before:
            self.ledger.keep()
        return found

    def _slope(self, x: np.ndarray, key: Key, known: dict[str, list[float]]) -> np.ndarray:
        run, of, pantograph = key
        if of in COMPOSED:
            two = [(run, name, pantograph) for name in ("mean_force", "deviation")]
            values = self.numbers(x, two)
            assert values is not None  # the run has been computed
            by_mean, by_deviation = (self._slope(x, k, known) for k in two)
            by_m, by_s = COMPOSED[of].slopes(values[two[0]], values[two[1]])
            return by_m * by_mean + by_s * by_deviation
        if _text(key) not in known:
            slopes = gradient_of(self._tape(x, run), of, self.problem.families, pantograph=pantograph)
            known[_text(key)] = self.problem.by_x(slopes).tolist()
        return np.array(known[_text(key)])

    def _tape(self, x: np.ndarray, run: int) -> RunTape | CableTape:
        at = x.tobytes().hex()
        if at != self._at:
            self._at, self._tapes = at, {}
        if run not in self._tapes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)  # said once, of the runs before and after
                self._tapes[run] = tape_for_gradient(self.problem.runs[run].of(self.problem.parts_at(x)))
            self.runs += 1
        return self._tapes[run]


def _text(key: Key) -> str:
    return "{}|{}|{}".format(*key)
