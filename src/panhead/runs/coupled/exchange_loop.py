"""Co-simulation loop over exchange steps, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS, Arrays, Checkpoints
from panhead.errors import Interrupted, ModelError, SimulationError
from panhead.runs.coupled.coupled_checkpoints import ExchangeCheckpoints, Resumable, exchange_checkpoints
from panhead.runs.coupled.exchange_schemes import CouplingScheme, Exchange, ExchangeStep
from panhead.runs.coupled.participant import Participant

if TYPE_CHECKING:
    import xarray as xr

_PROGRESS = 50  # exchange steps between two reports of progress


def couple(
    line: Participant,
    pantograph: Participant,
    scheme: CouplingScheme,
    *,
    duration: float,
    exchange_step: float,
    truth: xr.Dataset | None = None,
    record: Callable[[Exchange], None] | None = None,
    parts: Mapping[str, object] | None = None,
    checkpoints: Checkpoints = NO_CHECKPOINTS,
    job: Job | None = None,
) -> xr.Dataset:
    """Advance both sides together for ``duration`` [s], exchanging every ``exchange_step`` [s].

    The result holds contact forces, strips, iterations and the interface energy error

        E = ∫ (F_line ż_line − F_pantograph ż_pantograph) dt

    where each side's F and ż are those it was given or has found: power that one side takes over the strip less
    power that the other gives. With a ``truth`` (see ``solve_monolithic``) the difference is recorded, too.
    ``record`` is called at the start and after every exchange step, when both sides stand where they stay; ``parts``
    hold what it notes, for ``checkpoints``. A failure or Ctrl-C carries the run so far as ``partial``.
    """
    _check_ports(line, pantograph)
    steps = _count_steps(duration, exchange_step)
    log, job = _Log(line.time, exchange_step, record or (lambda now: None)), job or Job()
    parts = {"line": line, "pantograph": pantograph, "exchange": log, **(parts or {})}
    kept = exchange_checkpoints(parts, checkpoints, job)
    try:
        _run(line, pantograph, scheme, steps, log, kept, job)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted at t = {log.time:.6g} s", partial=log.dataset(scheme, truth)) from None
    except SimulationError as error:
        error.partial = log.dataset(scheme, truth)
        raise
    return log.dataset(scheme, truth)


def _run(
    line: Participant, pantograph: Participant, scheme: CouplingScheme, steps: int, log: _Log,
    kept: ExchangeCheckpoints, job: Job,
) -> None:  # fmt: skip
    first = kept.restore(steps)
    if not first:
        log.begin_with(_start(line, pantograph))
    for k in range(first, steps):
        if k % _PROGRESS == 0:
            job.progress(k / steps, f"t = {log.time:.3g} s")
        now, before = log.rows[-1], log.rows[-2] if k else None
        log.book(now, scheme.step(line, pantograph, log.dt, now, before))
        kept.save_if_due(k + 1)


def _start(line: Participant, pantograph: Participant) -> Exchange:
    """Initial outputs of both sides: contact points, strip heights, forces."""
    contact = line.observe(np.zeros(len(line.inputs)))
    contact = line.observe(pantograph.observe(contact))
    return Exchange(contact, pantograph.observe(contact))


def _check_ports(line: Participant, pantograph: Participant) -> None:
    for giver, taker in ((line, pantograph), (pantograph, line)):
        given, taken = ([(p.name, p.unit) for p in x] for x in (giver.outputs, taker.inputs))
        if given != taken:
            raise ModelError(
                f"{giver.name!r} has the outputs {given}, but {taker.name!r} has the inputs {taken}; they must be the "
                "same"
            )
    if abs(line.time - pantograph.time) > 1e-12:
        raise ModelError(
            f"{line.name!r} starts at {line.time:g} s and {pantograph.name!r} at {pantograph.time:g} s; "
            "both must start at the same time"
        )


def _count_steps(duration: float, dt: float) -> int:
    steps = round(duration / dt) if dt > 0 else 0
    if steps < 1 or abs(steps * dt - duration) > 1e-9 * duration:
        raise ModelError(
            f"the duration {duration!r} s is not a whole number of exchange steps of {dt!r} s; change one of them"
        )
    return steps


@final
@dataclass(slots=True)
class _Log(Resumable):
    """Values exchanged so far."""

    begin: float
    dt: float
    record: Callable[[Exchange], None]
    rows: list[Exchange] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    works: list[tuple[float, float]] = field(default_factory=list)  #: of a step, on both sides [J]

    @property
    def time(self) -> float:
        return self.begin + len(self.iterations) * self.dt

    def begin_with(self, now: Exchange) -> None:
        """Record the start."""
        self.rows.append(now)
        self.record(now)

    def book(self, now: Exchange, step: ExchangeStep) -> None:
        """Record a step; work by the trapezoidal rule of powers at its ends."""
        forces = [x[0::3] for x in (now.contact, step.after.contact)]
        line = sum(float(F @ s[1::2]) for F, s in zip(forces, step.strip_given, strict=True))
        rates = [x[1::2] for x in (now.strip, step.after.strip)]
        other = sum(float(c[0::3] @ r) for c, r in zip(step.contact_given, rates, strict=True))
        self.works.append((0.5 * self.dt * line, 0.5 * self.dt * other))
        self.iterations.append(step.iterations)
        self.rows.append(step.after)
        self.record(step.after)

    def save_state(self) -> dict[str, np.ndarray]:
        """Interface derivatives of the last step."""
        return {"slopes": np.array(self.rows[-1].slopes)}

    def save_rows(self) -> dict[str, np.ndarray]:
        """Exchanged values."""
        return {
            "contact": np.array([r.contact for r in self.rows]),
            "strip": np.array([r.strip for r in self.rows]),
            "iterations": np.array(self.iterations, dtype=float)[:, None],
            "works": np.array(self.works),
        }

    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Restore a saved log."""
        self.rows = [Exchange(*pair) for pair in zip(rows["contact"], rows["strip"], strict=True)]
        self.rows[-1] = self.rows[-1]._replace(slopes=tuple((dr, dy) for dr, dy in state["slopes"]))
        self.iterations = [int(n) for n in rows["iterations"][:, 0]]
        self.works = [(float(a), float(b)) for a, b in rows["works"]]

    def dataset(self, scheme: CouplingScheme, truth: xr.Dataset | None) -> xr.Dataset:
        from panhead.runs.coupled.coupled_dataset import exchange_dataset

        n = len(self.iterations)
        done = self.rows[: n + 1] or [Exchange(np.zeros(0), np.zeros(0))]
        return exchange_dataset(
            self.begin + self.dt * np.arange(len(done)),
            np.stack([r.contact for r in done]),
            np.stack([r.strip for r in done]),
            np.array(self.works).reshape(-1, 2),
            np.array(self.iterations, dtype=int),
            scheme,
            truth,
        )
