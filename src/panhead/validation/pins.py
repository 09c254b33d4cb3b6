"""Pinned values of listed rows: a value without a bound must not drift unnoticed.

``pins.toml`` holds the last reviewed value of every listed row. It makes no claim about what is right. A row that
differs from its pin fails the case until somebody has reviewed the new value and pinned it:

    python -m panhead.validation.pins CASE …                 compute the cases and pin their listed rows
    python -m panhead.validation.pins --read validate.json   pin the output of ``panhead validate --json``
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from panhead.validation.checks import AFTER, BEFORE, Check, near

FILE: Final = Path(__file__).with_name("pins.toml")
#: relative difference between processors, BLAS libraries and compilers [1]
RELATIVE_TOLERANCE: Final = 1e-4
#: case → wider relative tolerance, and why
WIDER_TOLERANCES: Final[Mapping[str, tuple[float, str]]] = {
    "planar-pantograph-control": (1e-2, "a descent stops where it gains little, not at its last digit"),
    "cosimulation": (1e-2, "orders and distances of runs that differ little; exchanges end at a tolerance"),
    "moving-load-string": (1e-3, "orders out of differences of runs"),
    "linear-vs-ancf": (1e-4, "cables in every step to a tolerance"),
    "error-bars": (5e-2, "shares of differences of runs by differences of runs"),
    "whipping-droppers": (2e-2, "chains that strike: rounding decides the instant of a blow"),
    "long-line": (1e-2, "largest of differences of two runs"),
    "c-export": (1.0, "single precision: rounding, and so the compiler, decides"),
    "line-gradient": (1e-3, "slopes out of differences of runs that lose contact: rounding moves them"),
    "cable-gradient": (1e-4, "rough runs, and cables in every step to a tolerance"),
    "study": (2e-2, "counts of intervals: one more or less"),
    "pendulum-on-beam-contact": (1e-2, "order out of differences of runs"),
    "beams-in-space": (1e-2, "orders out of differences of runs"),
    "klingel": (1e-4, "wheels on rails by a search to a tolerance"),
    "wheel-rail-constraint": (1e-4, "wheels on rails by a search to a tolerance"),
    "vehicle-straight": (1e-4, "wheels on rails by a search to a tolerance"),
    "vehicle-constraint": (1e-2, "small differences of runs with wheels on rails by a search to a tolerance"),
    "floating-frame": (1e-3, "errors of motions, and a root to a tolerance"),
    "cx-modes": (1e-4, "statics to a tolerance, at the corners of rounding too"),
    "s4-cx": (1e-2, "exchanges and flexible members to a tolerance"),
    "s1-statics": (1e-4, "statics to a tolerance"),
    "s1-low-uplift": (2e-2, "laws whose numbers were searched for"),
    "s1-high-uplift": (2e-2, "laws whose numbers were searched for, and a contact that is lost"),
    "s1-coupled-train": (1e-2, "wheels on rails, and exchanges to a tolerance"),
}
#: negligible differences by unit, for forces of 100 N, uplifts of 50 mm, shares of 100 %
NEGLIGIBLE: Final = {"N": 1e-4, "mm": 1e-4, "%": 1e-4, "1": 1e-6}
#: a row whose reference is 0 and whose value is below this is an error: rounding decides its digits
ERROR_THRESHOLD: Final = 1e-3
_COMMAND = "python -m panhead.validation.pins"
_SOURCE = "value of a listed row as pinned in validation/pins.toml"


def pins() -> dict[str, dict[str, float]]:
    """Read the pins: case → listed row → value."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def check_pins(case: str, checks: Sequence[Check], pinned: Mapping[str, float]) -> list[Check]:
    """Add a failing row for every listed row that differs from its pin, has no pin, or is missing."""
    rows = {c.quantity: c for c in checks if c.bound_by in (None, AFTER)}
    remedy = f": update the pin if intended ({_COMMAND} {case})"
    share = WIDER_TOLERANCES.get(case, (RELATIVE_TOLERANCE, ""))[0]
    changed = [
        near(f"listed row {name!r} changed from {pinned[name]:.9g} to {row.value:.9g} {row.unit}{remedy}", row.value,
            pinned[name], row.unit, _SOURCE, by=BEFORE)
        for name, row in rows.items()
        if name in pinned and not _agrees_with_pin(row, pinned[name], share)
    ]  # fmt: skip
    strange = [f"listed row {name!r} is not pinned" for name in rows if name not in pinned]
    strange += [f"listed row {name!r} is gone" for name in pinned if name not in rows]
    return [*checks, *changed, *(near(text + remedy, 0.0, 1.0, "1", _SOURCE, by=BEFORE) for text in strange)]


def _agrees_with_pin(row: Check, pin: float, share: float) -> bool:
    """True if a listed value agrees with its pin (NaN does not); an error may grow to its own bound, or tenfold."""
    if row.reference == 0.0 and abs(pin) < ERROR_THRESHOLD:
        return bool(abs(row.value) <= max(row.high or 0.0, 10.0 * abs(pin), 1e-9))
    return bool(abs(row.value - pin) <= share * abs(pin) + NEGLIGIBLE.get(row.unit, 0.0))


def write(tables: Mapping[str, Mapping[str, Mapping[str, object]]]) -> None:
    """Pin the listed rows of tables as ``panhead validate --json`` prints them; other cases keep theirs."""
    import tomli_w

    from panhead.validation import names

    found = pins() if FILE.exists() else {}
    for case, table in tables.items():
        listed = {q: row["value"] for q, row in table.items() if row["bound_by"] in (None, str(AFTER))}
        found[case] = {q: float(f"{value:.10g}") for q, value in listed.items()}
    ordered = {case: found[case] for case in names() if found.get(case)}
    FILE.write_text(f"# Written by: {_COMMAND}\n\n{tomli_w.dumps(ordered)}", encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    """Command-line entry point."""
    from panhead.validation import run
    from panhead.validation.checks import as_json

    parser = argparse.ArgumentParser(prog=_COMMAND, description="Pin the values of listed rows.")
    parser.add_argument("case", nargs="*", metavar="CASE")
    parser.add_argument("--read", type=Path, help="output of panhead validate --json")
    wanted = parser.parse_args(words)
    if wanted.read is not None:
        write(json.loads(wanted.read.read_text(encoding="utf-8")))
    write({case: as_json(run(case)) for case in wanted.case})


if __name__ == "__main__":
    main()
