"""Features of real lines against closed forms and independent computations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from panhead.railway.line import (
    Conditions,
    Line,
    Span,
    Tensioning,
    TensionLength,
    TrackPoint,
    Wind,
    change_of_state,
    line_in,
    read_line,
    string,
)
from panhead.railway.line.stringing import StrungSpan
from panhead.validation.checks import AFTER, BEFORE, Check, listed, near
from panhead.validation.real_lines.buffeting import buffeting_checks
from panhead.validation.real_lines.rod_droppers import rods

_RADIUS, _CANT, _STAGGER = 800.0, 0.12, 0.2
_ASKED = "requirement: 0.1 %; hand calculation"


def real_lines() -> Sequence[Check]:
    """Curve and cant, change of state, blow-off, gusts, rods."""
    return [*_curve(), *_vertical_curve(), *_temperature(), *_blow_off(), *buffeting_checks(), *rods()]


def _middle(line: Line) -> StrungSpan:
    strung = string(line)
    spans = strung.spans(strung.layout.pieces[0])
    return spans[len(spans) // 2]


def _curve() -> Iterator[Check]:
    """EN 50318:2002 wires in a left curve of 800 m with the same stagger, 0.2 m outwards, at every mast."""
    plain = read_line("en50318-2002")
    length = float(plain.tension_lengths[0].spans[0].length or 0.0)
    support = replace(plain.support, stagger=0.0, messenger_stagger=0.0)
    flat = replace(plain, support=support, alignment=(TrackPoint(at=0.0, radius=_RADIUS),))
    span = _middle(flat)
    H = {role: getattr(plain.wires, role).tension for role in ("contact", "messenger")}
    for role in H:
        yield near(f"radial load of the {role} wire in a curve", -span.reaction[role][0, 1],
            H[role] * length / _RADIUS, "N", f"{_ASKED}: H l/R, R = 800 m", rel=1e-3, by=BEFORE)  # fmt: skip
    yield from _offsets(plain, flat, length)
    staggered = replace(flat, support=replace(support, stagger=_STAGGER, messenger_stagger=_STAGGER))
    span = _middle(staggered)
    side = 1.0 if span.mesh.plan.left.y_contact > 0 else -1.0
    hand = H["contact"] * (length / _RADIUS - side * 4 * _STAGGER / length)
    yield near("radial load with alternating stagger in a curve", -span.reaction["contact"][0, 1], hand, "N",
        f"{_ASKED}: H (l/R ∓ 4a/l)", rel=1e-3, by=BEFORE)  # fmt: skip
    yield _canted(flat, length)


def _offsets(plain: Line, flat: Line, length: float) -> Iterator[Check]:
    """Inside the chord: l²/8R of a wire that kinks at its supports, l λ/2R less if it bends there, λ = √(EI/H)."""
    curve = (TrackPoint(at=0.0, radius=_RADIUS),)
    free = _middle(replace(_bare(plain), alignment=curve)).shape["contact"][:, 2].max()
    yield near("chord offset of a free wire at mid-span", 1e3 * free, 1e3 * 60.0**2 / (8 * _RADIUS), "mm",
        f"{_ASKED}: l²/8R", rel=1e-3, by=BEFORE)  # fmt: skip
    strung, wire = string(flat), flat.wires.contact
    spans = strung.spans(strung.layout.pieces[0], element_length=0.1)
    bent = spans[len(spans) // 2].shape["contact"][:, 2].max()
    hand = (length**2 / 8 - 0.5 * length * math.sqrt(wire.EI / wire.tension)) / _RADIUS
    yield near("chord offset of the contact wire of a line", 1e3 * bent, 1e3 * hand, "mm",
        f"{_ASKED}: (l² − 4 l λ)/8R; without λ it was 1 % off", rel=1e-3, by=AFTER)  # fmt: skip


def _canted(flat: Line, length: float) -> Check:
    """With cant the weight pulls inwards too: the load on the contact wire's hold is H l/R cos φ + μ g l sin φ.

    Droppers that hang upright take their share of the weight along, so the sum over both wires is compared.
    """
    canted = replace(flat, alignment=(TrackPoint(at=0.0, radius=_RADIUS, cant=_CANT),))
    wires, phi = flat.wires, math.asin(_CANT / 1.5)
    both = [wire for wire in (wires.contact, wires.messenger) if wire]
    load = sum(wire.tension for wire in both) / _RADIUS * math.cos(phi)
    load += sum(wire.mu for wire in both) * flat.gravity * math.sin(phi)
    aside = -sum(held[0, 1] for held in _middle(canted).reaction.values())
    return near("lateral load of a mast with cant, across the track", aside, load * length,
        "N", f"{_ASKED}: l (ΣH cos φ/R + Σμ g sin φ), cant 120 mm", rel=1e-3, by=BEFORE)  # fmt: skip


def _vertical_curve() -> Iterator[Check]:
    """A bare span over a crest of radius 10 km: the wire comes nearer to the rail by l²/8R."""
    line = _bare(read_line("en50318-2002"))
    crest = (TrackPoint(at=0.0, gradient=0.003), TrackPoint(at=60.0, gradient=-0.003))
    low, level = (_middle(replace(line, alignment=track)).shape["contact"][:, 0].min() for track in (crest, ()))
    yield near("sag of a free wire over a crest", 1e3 * (level - low), 1e3 * 60.0**2 / (8 * 1e4), "mm",
        f"{_ASKED}: l²/8R, R = 10 km", rel=1e-3, by=BEFORE)  # fmt: skip


def _bare(line: Line) -> Line:
    """One span of 60 m without droppers, wires without bending stiffness."""
    contact = replace(line.wires.contact, bending_stiffness=0.0)
    wires = replace(line.wires, contact=contact, messenger=contact)
    return replace(line, wires=wires, tension_lengths=(TensionLength(name="T", spans=(Span(length=60.0),)),))


def _catenary_state(H0: float, EA: float, strain: float, q: tuple[float, float], span: float) -> float:
    """H of an elastic catenary whose free length is kept, but for ``strain``: no parabola, no small sag."""

    def free(H: float, load: float) -> float:
        a = H / load
        arc = 2 * a * math.sinh(span / (2 * a))
        stretch = H / EA * (0.5 * span + 0.5 * a * math.sinh(span / a))  # ∫ T/EA ds, T = H cosh x/a
        return arc - stretch

    wanted = free(H0, q[0]) * (1 + strain)
    return float(brentq(lambda H: free(H, q[1]) - wanted, 0.05 * H0, 20 * H0, xtol=1e-9))


def _temperature() -> Iterator[Check]:
    EA, alpha, span, g = 113e9 * 65.4e-6, 17e-6, 60.0, 9.81
    q = g * (1.07 + 1.35)
    for celsius, ice in ((-20.0, 1.0), (40.0, 1.0), (-5.0, 1.6)):
        strain = alpha * (celsius - 10.0)
        found = change_of_state(16e3, EA=EA, strain=strain, loads=(q, ice * q), span=span)
        yield near(f"tension with fixed ends at {celsius:g} °C, load × {ice:g}", found,
            _catenary_state(16e3, EA, strain, (q, ice * q), span), "N",
            "requirement: 0.1 %; elastic catenary of the same free length", rel=1e-3, by=BEFORE)  # fmt: skip
    yield _fixed_line()


def _fixed_line() -> Check:
    """The messenger of a whole line with fixed ends at −20 °C: its free length is to be kept."""
    line = read_line("stitched-25kv")
    wires = replace(line.wires, stitch=None)
    spans = (Span(length=60.0, count=10, dropper_count=9),)
    line = replace(line, wires=wires, tensioning=Tensioning(kind="fixed"), presag=0.0,
        tension_lengths=(TensionLength(name="T", spans=spans),))  # fmt: skip
    cold = line_in(line, Conditions(temperature=-20.0))
    free = [_free_length(one) for one in (line, cold)]
    shrunk = 1.0 - free[1] / free[0]
    return listed("shrinking of the messenger's free length, fixed line at −20 °C", 1e3 * shrunk, 0.51, "‰",
        "α ΔT; required to 2 % and not met: the tighter contact wire takes load off the messenger")  # fmt: skip


def _free_length(line: Line) -> float:
    """Of the messenger between the anchors: ∫ √(1 + z′²) dx − ∫ T/EA ds."""
    strung = string(line)
    piece = strung.layout.pieces[0]
    wire, total = (piece.described.wires or line.wires).messenger, 0.0
    if wire is None:
        return total
    for span in strung.spans(piece, element_length=0.5):
        slope = np.gradient(span.shape["messenger"][:, 0], span.mesh.x, edge_order=2)
        arc = np.sqrt(1 + slope**2)
        total += float(np.trapezoid(arc - wire.tension * arc**2 / wire.EA, span.mesh.x))
    return total


def _blow_off() -> Iterator[Check]:
    """A bare wire of 12 mm in 30 m/s: p l²/8H aside, p = ½ ρ c d U²."""
    line = _bare(read_line("en50318-2002"))
    contact = replace(line.wires.contact, diameter=0.012, drag=1.1)
    line = replace(line, wires=replace(line.wires, contact=contact))
    blown = _middle(line_in(line, Conditions(wind=Wind(speed=30.0)))).shape["contact"][:, 2]
    p = 0.5 * 1.225 * 1.1 * 0.012 * 30.0**2
    yield near("blow-off of a free wire at mid-span, 30 m/s", 1e3 * float(np.abs(blown).max()),
        1e3 * p * 60.0**2 / (8 * contact.tension), "mm", "requirement: parabola to 1 %; ½ρc d U² l²/8H", rel=0.01,
        by=BEFORE)  # fmt: skip
