"""Extreme numbers given with --set: refused in our words, or the run begins, within bounds of time and memory."""

import dataclasses
import random
import typing
from pathlib import Path
from types import NoneType
from typing import Any

from attack.mutations import Attempt, attempted
from panhead.engine.jobs import Job
from panhead.runs import scenarios
from panhead.runs.description import Journey, Numerics

SCENES = tuple(Path(__file__).parent / "scenes" / f"{name}.toml" for name in ("linear", "coupled", "cables"))
EXTREMES: tuple[Any, ...] = (
    *("5e-324", "1e-300", "1e-30", "1e-12", "1e-9", "1e-7", "1e9", "1e18", "1e300", "1.7976931348623157e308", "1e308"),
    *(
        "-1",
        "-0.0",
        "0",
        "nan",
        "inf",
        "-inf",
        "2147483647",
        "2147483648",
        "9223372036854775807",
        "9223372036854775808",
    ),
    *("1" + "0" * 400, "4294967296", "0.5", "true", "[]", "{}", '""', '"1e300 km"', '"1e-308 mm"', '"1e300 s"', '"x"'),
)
TABLES = {"numerics": Numerics, "journey": Journey}


def numeric_keys() -> list[str]:
    """Every key of numerics and journey that holds a number, as --set names it."""
    return [f"{table}.{f.name}" for table, cls in TABLES.items() for f in dataclasses.fields(cls) if _is_number(cls, f)]


def _is_number(cls: type, field: "dataclasses.Field[Any]") -> bool:
    kind = typing.get_type_hints(cls)[field.name]
    kinds = set(typing.get_args(kind)) - {NoneType} or {kind}
    return kinds <= {int, float}


def alone() -> list[list[str]]:
    """Every extreme at every key."""
    return [[f"{key}={value}"] for key in numeric_keys() for value in EXTREMES]


def pair(seed: int) -> list[str]:
    """Two extremes together."""
    rng = random.Random(seed)
    return [f"{key}={rng.choice(EXTREMES)}" for key in rng.sample(numeric_keys(), 2)]


def attempt(chosen: list[str], scene: Path = SCENES[0]) -> Attempt:
    """Begin a run with such settings, and stop it after its first steps."""
    what = f"{scene.name} --set " + " --set ".join(word[:60] for word in chosen)
    return attempted(what, lambda: scenarios.read(str(scene), chosen), lambda s: s.simulate(Job(progress=_stop)))


def _stop(share: float, message: str = "") -> None:
    raise KeyboardInterrupt
