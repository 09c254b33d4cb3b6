"""Description of a study: base run, varied inputs, and form of the answer.

Everything is frozen and readable from a TOML file (``kind = "study"``). A number may carry a unit ("250 km/h"); the
numbers of one input are all written in the same one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.explore.studies.distributions import Distribution, in_one_unit
from panhead.files.units import Dimensionless, Metres

Form = Literal["speed", "limit", "tolerance", "sensitivity", "compare"]
Sampling = Literal["sobol", "latin-hypercube", "halton", "random"]
Part = Literal["dropper length", "contact height", "stagger", "contact tension", "messenger tension"]

#: what a part is measured in
PART_UNITS: dict[str, str] = {
    "dropper length": "m",
    "contact height": "m",
    "stagger": "m",
    "contact tension": "N",
    "messenger tension": "N",
}


def in_words(name: str) -> str:
    """An input as a reader says it: train.1.behind is the distance of pantograph 2 behind the first."""
    found = re.fullmatch(r"train\.(\d+)\.(?:changes\.)?(.+)", name)
    if found is None:
        return name
    what, which = re.sub(r"[._]", " ", found[2]), f"pantograph {int(found[1]) + 1}"
    return f"distance of {which} behind the first" if what == "behind" else f"{what} of {which}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vary:
    """One input of the run and the values it takes: a list, equal steps, or a distribution."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    input: str  #: any input that --set can name, such as speed or train.0.behind
    values: tuple[Any, ...] = ()  #: list of values
    first: float | str | None = None  #: first of equidistant values
    last: float | str | None = None  #: last of equidistant values
    steps: int | None = None  #: number of values from first to last
    distribution: Distribution | None = None  #: probability distribution

    def __post_init__(self) -> None:
        spaced = (self.first, self.last) != (None, None)
        ways = [bool(self.values), spaced, self.distribution is not None]
        if sum(ways) != 1:
            raise ModelError(
                f"vary {self.input!r}: {'more than one way' if any(ways) else 'nothing'} says which values it takes; "
                "give one of values (not empty), first and last, or distribution"
            )
        if spaced and (self.first is None or self.last is None):
            raise ModelError(f"vary {self.input!r}: give both first and last")
        if self.first is not None and self.last is not None:
            ends, _ = in_one_unit(f"vary {self.input!r}", {"first": self.first, "last": self.last})
            if ends["first"] == ends["last"]:
                raise ModelError(f"vary {self.input!r}: first and last are both {self.first!r}; give different values")
        if self.steps is not None and self.steps < 2:
            raise ModelError(f"vary {self.input!r}: steps must be at least 2, got {self.steps}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """Random error at every dropper, mast or tension length: error = as built − as drawn.

    The errors of one part are correlated along the line by R(Δx) = exp(−|Δx|/ℓ), or by a given one-sided spectrum
    S(κ) of the field, R(Δx) = ∫ S cos(κ Δx) dκ / ∫ S dκ; their distribution at each place is the one given.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    of: Part  #: quantity with errors
    distribution: Distribution  #: probability distribution of the error
    correlation: Metres = 0.0  #: correlation length ℓ along the line; 0: independent errors [m]
    spectrum: tuple[tuple[float, float], ...] = ()  #: wavenumber κ [rad/m] and spectral density S, increasing κ

    def __post_init__(self) -> None:
        require_not_negative(self, "correlation")
        if self.spectrum and self.correlation:
            raise ModelError(f"scatter {self.of!r}: give either correlation or spectrum")
        wavenumbers = [k for k, _ in self.spectrum]
        rising = all(b > a for a, b in itertools.pairwise(wavenumbers))
        if self.spectrum and (len(wavenumbers) < 2 or not rising or min(s for _, s in self.spectrum) < 0):
            raise ModelError(f"scatter {self.of!r}: spectrum needs two rows or more, rising wavenumbers, densities ≥ 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A family of runs.

    speed        every assessed quantity over the speed (one input with values or steps)
    limit        the highest value of one input at which the contact quality is met
    tolerance    as-built scatter and uncertain inputs: probability that the contact quality is not met
    sensitivity  influence of uncertain inputs (Sobol or Morris indices)
    compare      full factorial: all combinations of the listed values
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    base: str  #: shipped scenario, FILE.toml or result.nc
    form: Form = "compare"  #: question of the study
    vary: tuple[Vary, ...] = ()  #: inputs that vary
    scatter: tuple[Scatter, ...] = ()  #: random errors along the line
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changes of the base run, merged into its tables
    samples: int = 128  #: of a tolerance study; trajectories or base points of a sensitivity study
    sampling: Sampling = "sobol"  #: sampling method
    seed: int = 0  #: seed of the sampling
    indices: Literal["sobol", "morris"] = "sobol"  #: kind of sensitivity indices
    error: Dimensionless = 0.005  #: precision of a limit study, as a fraction of the range
    judged: Literal["contact quality", "all limits"] = "contact quality"
    """Limits to which the answer refers. contact quality: the setting (mean contact force) is reported beside it."""
    about: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "samples", "error")
        require_not_negative(self, "seed")
        names = [v.input for v in self.vary]
        if len(set(names)) < len(names):
            raise ModelError(f"study: an input varies twice; got {names}")
        if not names and not self.scatter:
            raise ModelError("study: no input varies; give vary or scatter")
        getattr(self, f"_check_{self.form}")()

    def _check_speed(self) -> None:
        self._refuse_randomness("speed")
        if len(self.vary) != 1:
            raise ModelError('study of the form "speed": vary exactly one input, usually speed')

    def _check_limit(self) -> None:
        self._refuse_randomness("limit")
        if len(self.vary) != 1 or self.vary[0].first is None:
            raise ModelError('study of the form "limit": vary exactly one input, with first and last')

    def _check_tolerance(self) -> None:
        fixed = [v.input for v in self.vary if v.distribution is None]
        if fixed:
            raise ModelError(
                f'study of the form "tolerance": give {fixed[0]!r} a distribution; lists are for "compare"'
            )

    def _check_sensitivity(self) -> None:
        self._check_tolerance()
        if self.scatter:
            raise ModelError(
                'study of the form "sensitivity": scatter has too many random numbers; use vary for single inputs'
            )
        if len(self.vary) < 2:
            raise ModelError('study of the form "sensitivity": vary two inputs or more')

    def _check_compare(self) -> None:
        self._refuse_randomness("compare")

    def _refuse_randomness(self, form: str) -> None:
        if self.scatter or any(v.distribution for v in self.vary):
            raise ModelError(f'study of the form "{form}": distributions and scatter belong to the form "tolerance"')
