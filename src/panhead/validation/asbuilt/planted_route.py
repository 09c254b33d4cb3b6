"""A synthetic route: a line as drawn, faults and scatter planted in it, and what a measuring train reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from panhead.explore.asbuilt.parts import BuiltPart, parts_of
from panhead.files.parse import write_toml
from panhead.railway.line import read_line
from panhead.railway.line.layout import Layout, droppers_of
from panhead.railway.line.line_description import Line, Span
from panhead.railway.line.line_variants import expand_spans
from panhead.validation.asbuilt.string_statics import HungStrings, hang, lie_sideways

SPACING: Final = 0.25  #: of readings and nodes [m]
SCATTER: Final = {"dropper length": 3e-3, "support height": 4e-3, "stagger": 10e-3}  #: of ordinary building [m]
TENSION_SCATTER: Final = 0.01
#: kind of fault → least and largest size, of either sign; tension as a fraction, only lost
FAULTS: Final[Mapping[str, tuple[float, float]]] = {
    "dropper length": (0.025, 0.05),
    "support height": (0.035, 0.07),
    "messenger tension": (0.10, 0.18),
    "stagger": (0.08, 0.15),
}
_POSITIONS: Final = (5.0, 15.0, 25.0, 35.0, 45.0)


@dataclass(frozen=True, slots=True)
class PlantedLength:
    """Truth of one tension length: every part's deviation, and which are faults."""

    parts: tuple[BuiltPart, ...]
    deviations: np.ndarray  #: (parts,)
    faults: tuple[int, ...]


def drawn_line(lengths: int, spans: int) -> Line:
    """A line of equal tension lengths with overlaps; messenger over the contact wire, so that droppers are upright."""
    line = read_line("overlaps-25kv")
    tl = line.tension_lengths[0]
    own = replace(tl, name="T", repeat=lengths, spans=(Span(length=50.0, count=spans, dropper_positions=_POSITIONS),))
    support = replace(line.support, messenger_stagger=line.support.stagger)
    return replace(
        line, name="planted route", support=support, tension_lengths=(own,), chainage=12000.0, contact_height=5.1
    )


def plant(line: Line, faults: int, seed: int) -> list[PlantedLength]:
    """Scatter everywhere and faults at random parts in running, as the seed draws them."""
    rng = np.random.default_rng(seed)
    single = expand_spans(line)
    layout = Layout(single)
    found: list[tuple[list[BuiltPart], np.ndarray, list[int]]] = []
    for piece in layout.pieces:
        keys = {(s, n): 1.0 for s, sp in enumerate(piece.spans) for n in range(1, len(droppers_of(sp)) + 1)}
        parts = parts_of(layout, piece, keys)
        scatter = [rng.normal(0.0, SCATTER.get(p.kind, TENSION_SCATTER * p.drawn)) for p in parts]
        found.append((parts, np.where([p.kind == "pre-sag" for p in parts], 0.0, scatter), []))
    for _ in range(faults):
        parts, deviations, chosen = found[int(rng.integers(len(found)))]
        kind = str(rng.choice(list(FAULTS)))
        most = max(p.place[0] for p in parts if p.kind == "support height")
        inner = [
            k
            for k, p in enumerate(parts)
            if p.kind == kind and (p.kind.endswith("tension") or 3 <= p.place[0] <= most - 4)
        ]
        k = int(rng.choice(inner))
        size = float(rng.uniform(*FAULTS[kind]))
        way = -1.0 if kind.endswith("tension") else float(rng.choice([-1.0, 1.0]))
        deviations[k] = way * size * (parts[k].drawn if kind.endswith("tension") else 1.0)
        chosen.append(k)
    return [
        PlantedLength(tuple(parts), deviations, tuple(dict.fromkeys(chosen))) for parts, deviations, chosen in found
    ]


def readings(line: Line, truth: Sequence[PlantedLength], *, noise: float, seed: int) -> np.ndarray:
    """(n, 3) chainage, height and stagger of the lowest wire, with noise; the strings hang by ``string_statics``."""
    layout = Layout(expand_spans(line))
    x = np.arange(0.0, layout.mast_x[-1] + 0.5 * SPACING, SPACING)
    z, y = np.full(x.size, np.inf), np.zeros(x.size)
    for piece, one in zip(layout.pieces, truth, strict=True):
        begin, end = layout.mast_x[piece.first], layout.mast_x[piece.stop]
        here = np.flatnonzero((x >= begin - 1e-9) & (x <= end + 1e-9))
        height, side = _hung(layout, piece.index, one)
        lower = height < z[here]
        z[here[lower]], y[here[lower]] = height[lower], side[lower]
    rng = np.random.default_rng(seed)
    table = np.column_stack([x + line.chainage, z, y])
    table[:, 1:] += rng.normal(0.0, noise, (x.size, 2))
    return table


def _hung(layout: Layout, index: int, one: PlantedLength) -> tuple[np.ndarray, np.ndarray]:
    """Height and stagger of a tension length at its nodes."""
    piece, line = layout.pieces[index], layout.line
    off: dict[str, dict[Any, float]] = {}
    for part, value in zip(one.parts, one.deviations, strict=True):
        off.setdefault(part.kind, {})[part.place] = float(value)
    plans = [layout.plan(piece, n) for n in range(piece.first, piece.stop)]
    posts = [*(p.left for p in plans), plans[-1].right]
    masts = layout.mast_x[piece.first : piece.stop + 1]
    y = np.array([post.y_contact + off["stagger"][k, 0] for k, post in enumerate(posts)])
    heights = np.array([post.z_contact + post.lift for post in posts])
    wires = line.wires
    assert wires.messenger is not None
    drawn_y = np.array([post.y_contact for post in posts])
    links = [(s, link) for s, plan in enumerate(plans) for link in plan.links]
    drawn = HungStrings(
        h=SPACING,
        masts=masts,
        messenger=heights + line.support.encumbrance,
        contact_ends=(float(heights[0]), float(heights[-1])),
        droppers=np.array([masts[s] + link.x for s, link in links]),
        lengths=np.full(len(links), np.nan),
        heights=np.array([link.height for _, link in links]),
        tensions=(wires.contact.tension, wires.messenger.tension),
        masses=(float(wires.contact.mass_per_length or 0.0), float(wires.messenger.mass_per_length or 0.0)),
        lift=_arm_lift(line, masts, drawn_y, wires.contact.tension),
    )
    _, lengths, _ = hang(drawn)
    up = np.array([off["support height"][k, 0] for k in range(masts.size)])
    tensions = (
        wires.contact.tension + off["contact tension"][0, 0],
        wires.messenger.tension + off["messenger tension"][0, 0],
    )
    built = replace(
        drawn,
        messenger=drawn.messenger + up,
        contact_ends=(float(heights[0] + up[0]), float(heights[-1] + up[-1])),
        lengths=lengths + np.array([off["dropper length"][s, link.number] for s, link in links]),
        tensions=tensions,
        lift=_arm_lift(line, masts, y, tensions[0]),
    )
    z, _, force = hang(built)
    return z, lie_sideways(built, force, y, np.array([post.y_messenger for post in posts]))


def _arm_lift(line: Line, masts: np.ndarray, y: np.ndarray, tension: float) -> np.ndarray:
    """Lift of the steady arms: their share of the wire's lateral pull, less half their weight; none at anchors."""
    arm = line.support.steady_arm
    assert arm is not None
    slope = np.diff(y) / np.diff(masts)
    pull = np.abs(tension * np.diff(slope))
    lift = np.zeros(masts.size)
    lift[1:-1] = pull * arm.rise / np.sqrt(arm.length**2 - arm.rise**2) - 0.5 * arm.mass * 9.81
    return lift


def write_route(folder: Path, line: Line, tables: Sequence[np.ndarray], run: str, extra: str = "") -> Path:
    """Line, one CSV for each pass, and the route file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "line.toml").write_text(write_toml(line), encoding="utf-8")
    names = []
    for k, table in enumerate(tables, 1):
        rows = "\n".join(f"{x:.2f},{z:.4f},{y:.4f}" for x, z, y in table)
        (folder / f"pass{k}.csv").write_text(f"chainage [m],height [m],stagger [m]\n{rows}\n", encoding="utf-8")
        names.append(f'{{ file = "pass{k}.csv" }}')
    text = f'kind = "route"\n{extra}\n[[part]]\nline = "line.toml"\npasses = [{", ".join(names)}]\n\n{run}'
    path = folder / "route.toml"
    path.write_text(text, encoding="utf-8")
    return path
