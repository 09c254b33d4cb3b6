"""ControlTask of a control environment: actuator, sensors, reward and the runs that episodes are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal

from panhead.errors import ModelError, alternatives, require_not_negative, require_positive
from panhead.explore.environment.family import RunFamily
from panhead.files.units import Dimensionless, Metres, Newtons, NewtonSecondsPerMetre, Seconds, Unit
from panhead.runs.description import Run

NewtonsPerSecond = Annotated[float, Unit("N/s")]

#: signal → (scale by which it is divided, standard deviation of its default noise, both in SI units; meaning)
SIGNALS: Final[Mapping[str, tuple[float, float, str]]] = {
    "force": (100.0, 2.0, "contact force of the pantograph [N]"),
    "head_acceleration": (10.0, 0.2, "acceleration of the head, + up [m/s²]"),
    "suspension": (0.05, 1e-4, "height of the head over the mass below it, from rest [m]"),
    "suspension_rate": (0.5, 5e-3, "its rate [m/s]"),
    "frame_height": (0.1, 5e-4, "height of the lowest mass, from where the episode's run started [m]"),
    "frame_rate": (0.5, 5e-3, "its rate [m/s]"),
    "span_position": (1.0, 0.0, "distance behind the last mast as a share of the span, 0 … 1"),
    "speed": (100.0, 0.0, "speed of the train [m/s]"),
    "actuator": (1.0, 0.0, "present actuator value as a share of its largest, −1 … 1"),
}
RANGE: Final = 100.0  #: largest observed number, in scales: a sensor saturates there
STANDARD: Final = (
    "force", "head_acceleration", "suspension", "suspension_rate", "frame_height", "frame_rate", "actuator",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PantographActuator:
    """What an action moves, and its limits.

    head     force between the head and the mass below it: + lifts the head and presses the other down
    frame    force between the lowest mass and the roof: + lifts the mass
    damper   setting r of a damper between the head and the mass below it, beside the pantograph's own damping

    An action a in [−1, 1] asks for the force U a, or for the setting R (a + 1)/2. A force moves to what is asked in a
    straight line over the control interval, by at most ``rate`` times the interval; a setting jumps and is then held.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    on: Literal["head", "frame", "damper"] = "head"  #: what the action moves
    force: Newtons = 50.0  #: largest force U, either way
    rate: NewtonsPerSecond | None = 5000.0  #: largest rate of the force; None: unlimited
    travel: Metres | None = (
        None  #: stops of the suspension that it acts in, up and down; None: as the pantograph has them
    )
    setting: NewtonSecondsPerMetre = 500.0  #: largest setting R of a damper
    pantograph: int = 1  #: 1 is the first of the train

    def __post_init__(self) -> None:
        require_positive(self, "force", "setting", "pantograph")
        for name in ("rate", "travel"):
            if getattr(self, name) is not None:
                require_positive(self, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensors:
    """What an observation holds: signals, divided by their scales, sampled once in every control interval.

    y_k = (signal(t_{k−d}) + noise · ξ_k)/scale,   ξ_k normal and independent, |y_k| at most 100
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    signals: tuple[str, ...] = STANDARD  #: names of ``SIGNALS``, in order
    noise: Dimensionless = 1.0  #: factor on the standard deviations of ``SIGNALS``; 0: exact
    delay: Seconds = 0.0  #: age of what is observed; a multiple of the control interval
    state: bool = False  #: append the whole state: positions and velocities of all masses and of the whole line

    def __post_init__(self) -> None:
        require_not_negative(self, "noise", "delay")
        if not self.signals and not self.state:
            raise ModelError("Sensors: nothing is observed; give signals, or state = true")
        for name in self.signals:
            if name not in SIGNALS:
                raise ModelError(f"Sensors: there is no signal {name!r}; {alternatives(name, SIGNALS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """Reward of one control interval, over its steps i of length h; its sum over an episode is the return.

        r = − Σ_i h/T m_i [ variance ((F_i − F₀)/F₀)² + extremes (max(0, F_i − high)² + max(0, low − F_i)²)/F₀²
                            + loss [F_i = 0] ] − Σ_i h/T effort (u_i/U)²

    F contact force, F₀ its quasi-static mean at the speed of the run (static and aerodynamic uplift), u actuator force,
    m_i = 1 in the assessed section and 0 before it, T duration of the assessed section. A damper makes no effort.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    variance: Dimensionless = 1.0  #: weight of the squared deviation from F₀
    extremes: Dimensionless = 0.0  #: weight of forces outside low … high
    loss: Dimensionless = 1.0  #: weight of the share of time without contact
    effort: Dimensionless = 0.01  #: weight of the squared actuator force
    low: Newtons = 0.0  #: force below which ``extremes`` counts
    high: Newtons = 300.0  #: force above which ``extremes`` counts

    def __post_init__(self) -> None:
        require_not_negative(self, "variance", "extremes", "loss", "effort")


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlTask:
    """A control problem: runs, actuator, sensors, reward."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    runs: RunFamily | Run | str = field(
        default_factory=RunFamily
    )  #: family of runs, or one run (shipped scenario, FILE.toml)
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changes of a run given by name, merged into its tables
    actuator: PantographActuator = PantographActuator()
    sensors: Sensors = Sensors()
    reward: Reward = Reward()
    interval: Seconds = 0.01  #: control interval: time between two actions
    lead: Seconds = 0.3  #: time by which control starts before the assessed section

    def __post_init__(self) -> None:
        require_positive(self, "interval")
        require_not_negative(self, "lead")
        intervals = self.sensors.delay / self.interval
        if abs(intervals - round(intervals)) > 1e-6:
            raise ModelError(
                f"ControlTask: sensors.delay {self.sensors.delay:g} s must be a multiple of the control interval "
                f"{self.interval:g} s; change one of them"
            )
        if self.changes and not isinstance(self.runs, str):
            raise ModelError("ControlTask: `changes` are for a run given by name; change the run or the family itself")
        if self.sensors.state and isinstance(self.runs, RunFamily):
            raise ModelError(
                "ControlTask: sensors.state needs one run, because lines of a family differ in size; give `runs` a "
                "scenario or a Run, or remove `state`"
            )

    @property
    def delay_intervals(self) -> int:
        """Age of an observation in control intervals."""
        return round(self.sensors.delay / self.interval)
