"""Assumed defaults of a line: values its file leaves out, reported because they can change the result.

Without damping a benchmark-like line of 20 spans gave σ = 73.5 N where the damped one gives 61.4 N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, get_args

from panhead.files.assumed_defaults import Assumed, AssumedText
from panhead.files.inventory import stated_fields
from panhead.railway.line.line_description import Line, Supply, Wires
from panhead.railway.line.wires import Wire

#: what it is called → its keys, what zero means, what is usual
_TOPICS: Final = (
    (
        "damping",
        ("mass_damping", "stiffness_damping"),
        "waves then decay too slowly, and the standard deviation of the contact force increases",
        "0.0125 1/s and 1e-4 s are usual [Bruni15]",
    ),
    (
        "masses",
        ("mass_per_length", "top_clamp_mass", "bottom_clamp_mass"),
        "a dropper without mass and clamps is lighter than any real one",
        "0.1 kg/m and 0.15 kg per clamp are usual",
    ),
    ("mass", ("mass",), "a steady arm without mass moves too easily", "1 to 2 kg are usual"),
)


@dataclass(frozen=True, slots=True)
class Assumption:
    """A value that a line's file leaves out."""

    place: str  #: the parts that leave it out, by their path in the file
    words: str  #: what is left out, what is assumed, what that does
    remedy: str


def assumptions(line: Line) -> Iterator[Assumption]:
    """List the values assumed to be zero because the line's file leaves them out, by topic, and the assumed supply."""
    missing = _omitted_keys(line)
    for what, keys, effect, usual in _TOPICS:
        # of wires that have one kind of damping the other is none
        whole = keys if what == "damping" else ()
        owners = [p for p, names in missing.items() if names & set(keys) and names >= set(whole)]
        left = [key for key in keys if any(key in missing[p] for p in owners)]
        if owners:
            yield _assumption(owners, left, effect, usual)
    limp = [path for path, wire in wires_of(line) if wire.bending_stiffness is None and wire.EI == 0.0]
    if limp:
        remedy = "95 to 280 N·m² are usual for contact wires of 100 to 170 mm², by material and area"
        yield _assumption(limp, ["bending_stiffness"], "droppers and clamps then bend the wire into kinks", remedy)
    if isinstance(line.supply, AssumedText):
        words = f"supply left out: {line.supply} is assumed; the contact force limits are those of this supply"
        yield Assumption("supply", words, f"give supply ({', '.join(get_args(Supply))})")


def wires_of(line: Line) -> Iterator[tuple[str, Wire]]:
    """Yield every wire with its path in the file, including wires of single tension lengths."""
    sets: list[tuple[str, Wires]] = [("wires", line.wires)]
    sets += [(f"tension_lengths.{k}.wires", t.wires) for k, t in enumerate(line.tension_lengths, 1) if t.wires]
    for path, wires in sets:
        yield f"{path}.contact", wires.contact
        for role, wire in (("messenger", wires.messenger), ("auxiliary", wires.auxiliary)):
            if wire is not None:
                yield f"{path}.{role}", wire
        if wires.stitch is not None:
            yield f"{path}.stitch.wire", wires.stitch.wire


def _omitted_keys(line: Line) -> dict[str, set[str]]:
    """Path of a part → its keys that the file leaves out."""
    found: dict[str, set[str]] = {}
    for path, value, _ in stated_fields(line):
        if isinstance(value, Assumed):
            owner, _, key = path.rpartition(".")
            found.setdefault(owner, set()).add(key)
    return found


def _assumption(owners: list[str], keys: list[str], effect: str, usual: str) -> Assumption:
    place = ", ".join(owners[:4]) + (f" and {len(owners) - 4} more" if len(owners) > 4 else "")
    names = " and ".join(filter(None, (", ".join(keys[:-1]), keys[-1])))
    words = f"{names} left out: 0 is assumed; {effect}"
    return Assumption(place, words, f"give {names} ({usual}), or write 0 if that is intended")
