"""Control laws between plunger and pan-head: time-varying dampers, actuator limits, Python callables.

A damping law is u = −r(t) (ẏ₁ − ẏ₂), y₁ the pan-head's height and y₂ the plunger's      [Pappalardo16, eqs (28)–(30)].
As an item of the model (``head_damper``) it is integrated implicitly, for any r; as a sampled controller its force is
held between samples, and can have a limit, a delay, a lag, or be semi-active.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, final

import numpy as np

from panhead.errors import ModelError, require_not_negative, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """Measurements available to a controller."""

    head: float  #: y₁, height of the pan-head [m]
    plunger: float  #: y₂ [m]
    head_rate: float  #: ẏ₁ [m/s]
    plunger_rate: float  #: ẏ₂ [m/s]
    force: float  #: contact force, positive: pressed together [N]
    x: float  #: place along the track [m]

    @property
    def rate(self) -> float:
        """ẏ₁ − ẏ₂ [m/s]."""
        return self.head_rate - self.plunger_rate


MEASURED = tuple(f.name for f in fields(Measurements))
Controller = Callable[[float, Measurements], float]  #: u [N], positive: pushes the head up


@final
class Replayed:
    """Controller that records its inputs and outputs, so that a new instance can be brought to the same state."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.seen: list[tuple[float, ...]] = []  #: time and measurements
        self.answers: list[float] = []  #: [N]

    def __call__(self, t: float, m: Measurements) -> float:
        """Call the controller and record input and output."""
        u = float(self.controller(t, m))
        self.seen.append((t, m.head, m.plunger, m.head_rate, m.plunger_rate, m.force, m.x))
        self.answers.append(u)
        return u

    def tables(self) -> dict[str, np.ndarray]:
        """Recorded inputs (n, 7) and outputs (n, 1)."""
        return {"seen": np.array(self.seen).reshape(-1, 7), "answers": np.array(self.answers)[:, None]}

    def show(self, tables: Mapping[str, np.ndarray]) -> None:
        """Replay recorded inputs; ValueError if the outputs differ, as those of a random controller would."""
        for (t, *numbers), (u,) in zip(tables["seen"].tolist(), tables["answers"].tolist(), strict=True):
            if self(t, Measurements(**dict(zip(MEASURED, numbers, strict=True)))) != u:
                raise ValueError(f"the controller gives another output at t = {t:.6g} s than before the interruption")


class HeadFeedback(Protocol):
    """Feedback that can be restarted for each run."""

    def begin(self, period: float) -> Controller:
        """The controller for one run, called every ``period`` [s]."""


class _Damping:
    """Base of the damping laws; their parameters are their fields."""

    __slots__ = ()

    @property
    def kernel(self) -> Hashable:
        """Key of the compiled law: all that it depends on besides its parameters."""
        return (type(self).__name__,)

    def numbers(self) -> dict[str, float]:
        return {f.name: float(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]

    def coefficient(self, t: Any, p: Mapping[str, Any], exp: Callable[[Any], Any] = np.exp) -> Any:
        """r(t) [N·s/m], of numbers or, with CasADi's ``exp``, of symbols."""
        raise NotImplementedError

    def begin(self, period: float) -> Controller:
        p = self.numbers()
        return lambda t, m: -float(self.coefficient(t, p)) * m.rate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Derivative(_Damping):
    """r is constant."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    damping: float = 3500.0  #: [N·s/m]

    def __post_init__(self) -> None:
        require_not_negative(self, "damping")

    def coefficient(self, t: Any, p: Mapping[str, Any], exp: Callable[[Any], Any] = np.exp) -> Any:
        return p["damping"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BangBang(_Damping):
    """r = ``first`` before the time ``switch``, ``second`` from then on     [Pappalardo16, eq. (29)]."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    first: float = 1123.0  #: [N·s/m]
    second: float = 6000.0  #: [N·s/m]
    switch: float = 0.5  #: [s]

    def __post_init__(self) -> None:
        require_not_negative(self, "first", "second", "switch")

    def coefficient(self, t: Any, p: Mapping[str, Any], exp: Callable[[Any], Any] = np.exp) -> Any:
        return p["first"] + (p["second"] - p["first"]) * (t >= p["switch"])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(_Damping):
    """r = ``final`` (1 − exp(−t / ``time``))                                [Pappalardo16, eq. (30)]."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    final: float = 7500.0  #: [N·s/m]
    time: float = 0.5  #: [s]

    def __post_init__(self) -> None:
        require_not_negative(self, "final")
        require_positive(self, "time")

    def coefficient(self, t: Any, p: Mapping[str, Any], exp: Callable[[Any], Any] = np.exp) -> Any:
        return p["final"] * (1 - exp(-t / p["time"]))


@final
@dataclass(frozen=True, slots=True)
class DampingHistory(_Damping):
    """r is linear between values ``interval`` apart, and stays at the last         [Pappalardo16, eqs (20)–(25)].

    The adjoint gives the derivative by every value; a design finds the history r(t) itself.
    """

    values: tuple[float, ...]  #: r at 0, interval, 2 interval … [N·s/m]
    interval: float  #: [s]

    def __post_init__(self) -> None:
        require_positive(self, "interval")
        if not self.values or not all(0.0 <= r < np.inf for r in self.values):
            raise ModelError(f"control: a damping history needs values of at least 0 N·s/m, got {self.values}")

    @property
    def kernel(self) -> Hashable:
        return type(self).__name__, len(self.values), self.interval

    def numbers(self) -> dict[str, float]:
        return {f"r{k}": r for k, r in enumerate(self.values)}

    def coefficient(self, t: Any, p: Mapping[str, Any], exp: Callable[[Any], Any] = np.exp) -> Any:
        import casadi as ca  # only where the law is derived; a description does not need it

        last = len(self.values) - 1
        at = ca.fmin(t / self.interval, last)
        return sum(p[f"r{k}"] * ca.fmax(0.0, 1.0 - ca.fabs(at - k)) for k in range(last + 1))


DampingLaw = Derivative | BangBang | Exponential | DampingHistory


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Saturated:
    """Feedback limited to ± ``limit``."""

    law: HeadFeedback
    limit: float  #: [N]

    def __post_init__(self) -> None:
        require_positive(self, "limit")

    def begin(self, period: float) -> Controller:
        inner, limit = self.law.begin(period), self.limit
        return lambda t, m: min(limit, max(-limit, inner(t, m)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SemiActive:
    """Semi-active damper: it can only take energy out, u (ẏ₁ − ẏ₂) ≤ 0."""

    law: HeadFeedback

    def begin(self, period: float) -> Controller:
        inner = self.law.begin(period)

        def u(t: float, m: Measurements) -> float:
            wanted = inner(t, m)
            return wanted if wanted * m.rate < 0 else 0.0

        return u


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Delayed:
    """Feedback with a ``delay``; zero before the first sample arrives."""

    law: HeadFeedback
    delay: float  #: [s]

    def __post_init__(self) -> None:
        require_not_negative(self, "delay")

    def begin(self, period: float) -> Controller:
        inner = self.law.begin(period)
        queue = deque([0.0] * round(self.delay / period))

        def u(t: float, m: Measurements) -> float:
            queue.append(inner(t, m))
            return queue.popleft()

        return u


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lagged:
    """First-order actuator: T u̇ + u = wanted, exact between samples."""

    law: HeadFeedback
    time: float  #: T [s]

    def __post_init__(self) -> None:
        require_positive(self, "time")

    def begin(self, period: float) -> Controller:
        inner, share = self.law.begin(period), 1 - float(np.exp(-period / self.time))
        state = [0.0]

        def u(t: float, m: Measurements) -> float:
            state[0] += share * (inner(t, m) - state[0])
            return state[0]

        return u


@final
@dataclass(frozen=True, slots=True)
class Callback:
    """Any Python callable u = law(t, measurements)."""

    call: Controller

    def begin(self, period: float) -> Controller:
        return self.call
