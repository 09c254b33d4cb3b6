"""Prompts of ``panhead new``: one list of questions for each kind of file, also available as options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from panhead.errors import ModelError
from panhead.files.units import to_si


@dataclass(frozen=True, slots=True)
class Question:
    """One answer a new file needs."""

    key: str
    words: str
    default: str
    unit: str | None = None  #: of a quantity; None: no quantity
    choices: tuple[str, ...] = ()
    least: int | None = None  #: of a whole number; None: it is none
    most: int = 5000
    types: tuple[str, ...] = ()  #: of line that it is asked of; none: all
    between: tuple[str, str] | None = None  #: what a quantity must lie between; None: anything

    def asked_of(self, given: Mapping[str, str | None]) -> bool:
        """True if the given type of line needs an answer."""
        return not self.types or (given.get("type") or "simple") in self.types

    def check(self, answer: str) -> str:
        """The answer as it goes into the file, or a ModelError that says what may be answered."""
        answer = answer.strip()
        if self.choices and answer not in self.choices:
            raise ModelError(f"{self.key}: {answer!r} is not one of {', '.join(self.choices)}")
        if self.least is not None:
            if not answer.isascii() or not answer.isdigit() or not self.least <= int(answer) <= self.most:
                raise ModelError(f"{self.key}: must be a whole number from {self.least} to {self.most}, got {answer!r}")
            return str(int(answer))
        if self.unit is not None:
            try:
                value = to_si(answer, self.unit)
            except ValueError as error:
                raise ModelError(f"{self.key}: {error}") from None
            if self.between and not to_si(self.between[0], self.unit) <= value <= to_si(self.between[1], self.unit):
                raise ModelError(f"{self.key}: must lie between {' and '.join(self.between)}, got {answer!r}")
        if any(letter in answer for letter in '"\\') or not answer.isprintable():
            raise ModelError(f"{self.key}: {answer!r} must not contain quotes, backslashes or control characters")
        return answer


_WIRES: Final = ("simple", "stitched", "compound", "twin")
_RAIL: Final = ("rail",)
_TROLLEY: Final = ("trolley",)
_TAUT: Final = (*_WIRES, *_TROLLEY)

QUESTIONS: Final[Mapping[str, tuple[Question, ...]]] = {
    "line": (
        Question("type", "type of line", "simple", choices=(*_WIRES, *_RAIL, *_TROLLEY)),
        Question("supply", "supply", "25 kV AC", choices=("25 kV AC", "15 kV AC", "3 kV DC", "1.5 kV DC")),
        Question("tension_lengths", "tension lengths in a row", "1", least=1, most=50),
        Question("spans", "spans of a tension length", "16", least=1),
        Question("span", "length of a span", "60 m", "m", between=("3 m", "150 m")),
        Question("droppers", "droppers of a span", "9", least=0, most=50, types=_WIRES),
        Question("height", "contact wire above rail", "5.08 m", "m", between=("3 m", "8 m")),
        Question("presag", "pre-sag at mid-span", "30 mm", "m", types=_WIRES),
        Question("stagger", "stagger", "200 mm", "m", between=("-1 m", "1 m")),
        Question(
            "encumbrance",
            "messenger above contact wire at a mast",
            "1.4 m",
            "m",
            types=_WIRES,
            between=("0.2 m", "5 m"),
        ),
        Question(
            "contact_tension", "tension of (each) contact wire", "20 kN", "N", types=_TAUT, between=("1 kN", "100 kN")
        ),
        Question("contact_area", "cross-section of (each) contact wire, copper", "150 mm²", "m**2", types=_TAUT),
        Question(
            "messenger_tension", "tension of the messenger", "16 kN", "N", types=_WIRES, between=("1 kN", "100 kN")
        ),
        Question("messenger_area", "cross-section of the messenger, bronze", "70 mm²", "m**2", types=_WIRES),
        Question("rail_mass", "mass of a conductor rail with its contact wire", "7.17 kg/m", "kg/m", types=_RAIL),
        Question("rail_stiffness", "bending stiffness EI of the rail", "234 kN*m**2", "N*m**2", types=_RAIL),
        Question("support_stiffness", "stiffness of a support of the rail", "1 MN/m", "N/m", types=_RAIL),
        Question("bar", "length of a bar of the rail, from joint to joint", "12 m", "m", types=_RAIL),
        Question("rope_tension", "tension of a cross-span", "3 kN", "N", types=_TROLLEY, between=("100 N", "50 kN")),
        Question("rope", "length of a cross-span from pole to pole", "16 m", "m", types=_TROLLEY),
    ),
    "pantograph": (
        Question("masses", "masses in the chain: 2 or 3", "3", choices=("2", "3")),
        Question("static_force", "static force", "70 N", "N"),
        Question("head_mass", "mass of the head", "7 kg", "kg"),
        Question("head_stiffness", "stiffness under the head", "9000 N/m", "N/m"),
        Question("frame_mass", "equivalent mass of each frame stage at the head", "6 kg", "kg"),
        Question("aerodynamic", "aerodynamic uplift per speed squared", "0.0125 N*s**2/m**2", "N*s**2/m**2"),
        Question("width", "length of the head", "1600 mm", "m"),
    ),
    "run": (
        Question("line", "line: shipped name or file", "en50318-2002"),
        Question("pantograph", "pantograph: shipped name or file", "en50318-2002"),
        Question("pantographs", "pantographs on the train", "1", least=1, most=8),
        Question("spacing", "distance between pantographs", "200 m", "m"),
        Question("speed", "speed", "250 km/h", "m/s", between=("1 km/h", "600 km/h")),
    ),
    "study": (
        Question("base", "run that is varied: shipped name or file", "en50318-300"),
        Question("first", "lowest speed", "200 km/h", "m/s"),
        Question("last", "highest speed", "300 km/h", "m/s"),
        Question("steps", "speeds", "6", least=2, most=1000),
    ),
}


#: what other types of line have by default instead
_OF_TYPE: Final[Mapping[str, Mapping[str, str]]] = {
    "compound": {
        "span": "50 m", "droppers": "10", "presag": "0 mm", "encumbrance": "1.5 m",
        "messenger_tension": "24.5 kN", "messenger_area": "180 mm²",
    },
    "twin": {
        "supply": "3 kV DC", "presag": "60 mm", "contact_tension": "10 kN", "contact_area": "100 mm²",
        "messenger_tension": "22.5 kN", "messenger_area": "240 mm²",
    },
    "rail": {"span": "10 m", "spans": "50"},
    "trolley": {
        "supply": "1.5 kV DC", "span": "30 m", "height": "5.5 m", "contact_tension": "10 kN",
        "contact_area": "100 mm²",
    },
}  # fmt: skip


def default(question: Question, given: Mapping[str, str | None]) -> str:
    """Default answer; it may depend on the type of line."""
    return _OF_TYPE.get(given.get("type") or "", {}).get(question.key, question.default)


def complete_answers(kind: str, given: Mapping[str, str | None]) -> dict[str, str]:
    """Every answer a file of this kind needs, checked; what is not given has its default."""
    known = QUESTIONS[kind]
    for key in given:
        if key not in {q.key for q in known}:
            raise ModelError(f"new {kind}: unknown answer {key!r}; expected {', '.join(q.key for q in known)}")
    for question in known:
        if given.get(question.key) is not None and not question.asked_of(given):
            raise ModelError(
                f"{question.key}: a line of type {given.get('type') or 'simple'} does not use this; leave it out"
            )
    answers = ((q, given.get(q.key)) for q in known if q.asked_of(given))
    return {q.key: q.check(default(q, given) if answer is None else answer) for q, answer in answers}
