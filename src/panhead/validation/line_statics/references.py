"""Statics of the overhead line: loads, elasticity, sag, wave speeds, force balance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from panhead.railway.line import (
    Line,
    Span,
    Strung,
    TensionLength,
    check_speed,
    elasticity,
    linear_line,
    read_line,
    string,
    with_presag,
)
from panhead.railway.line.elasticity import block_matrix
from panhead.railway.line.stringing import StrungSpan
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, listed, near

_REFERENCE = "closed form or independent script for EN 50318:2002, level wire, 100 N"
_LOADS = (103.0, 79.0, 86.2, 86.1, 86.1, 86.1, 86.2, 79.0, 103.0)
_ELASTICITY = {
    "at a support": (0.0, 0.252),
    "at mid-span, on a dropper": (30.0, 0.457),
    "between the middle droppers": (33.25, 0.487),
}


def line_statics() -> Sequence[Check]:
    """EN 50318:2002 line at rest, without pre-sag as the reference values assume."""
    strung = string(with_presag(read_line("en50318-2002"), 0.0))
    return [*_loads(strung), *_elasticity(strung), *_waves(strung.line), *_closed_forms(strung)]


def _middle(strung: Strung) -> StrungSpan:
    spans = strung.spans(strung.layout.pieces[0])
    return spans[len(spans) // 2]


def _loads(strung: Strung) -> Iterator[Check]:
    for k, (load, reference) in enumerate(zip(_middle(strung).tension, _LOADS, strict=True), 1):
        yield near(f"load of dropper {k}", load, reference, "N", _REFERENCE, rel=0.01, by=BEFORE)


def _elasticity(strung: Strung) -> Iterator[Check]:
    curve = elasticity(strung, span=strung.layout.n_spans // 2, force=100.0, points=241)
    for where, (x, reference) in _ELASTICITY.items():
        value = 1e3 * float(np.interp(curve.x[0] + x, curve.x, curve.value))
        yield near(f"elasticity {where}", value, reference, "mm/N", _REFERENCE, rel=0.01, by=BEFORE)
    asymmetry = float(np.abs(curve.value / curve.value[::-1] - 1).max())
    yield below("asymmetry of the elasticity", asymmetry, 1e-6, "1", "symmetry", by=CLOSED_FORM)


def _waves(line: Line) -> Iterator[Check]:
    check = check_speed(line, 300 / 3.6)
    assert check is not None  # the line has tension
    source = "√(20000 N/1.35 kg/m); the formula itself, so it only says that the line's data are these"
    yield listed("wave speed", check.wave_speed, 121.716, "m/s", source)
    limit = "0.7 c, EN 50119:2009, 5.2.4; the formula itself"
    yield listed("highest speed", 3.6 * check.limit, 306.725, "km/h", limit)


def _closed_forms(strung: Strung) -> Iterator[Check]:
    contact, g = strung.line.wires.contact, strung.line.gravity
    span = _middle(strung)
    weight = contact.mu * g * span.mesh.plan.length
    yield near("dropper load of one span", float(span.tension.sum()), weight, "N",
        "weight of the contact wire; its arc is 1e-6 longer than the span", rel=1e-5, by=CLOSED_FORM)  # fmt: skip
    left, right = (span.shape["messenger"][::step, 0] for step in (1, -1))
    asymmetry = float(np.abs(left - right).max())
    yield below("asymmetry of the messenger", asymmetry, 1e-9, "m", "symmetry", by=CLOSED_FORM)
    yield _catenary(strung.line)
    yield _parabola(strung.line)


def _bare(line: Line) -> Line:
    """One span without droppers, wires without bending stiffness."""
    contact = replace(line.wires.contact, bending_stiffness=0.0)
    wires = replace(line.wires, contact=contact, messenger=contact)
    single = TensionLength(name="T", spans=(Span(length=60.0),))
    return replace(line, wires=wires, tension_lengths=(single,))


def _catenary(line: Line) -> Check:
    """Sag of one free span: a (cosh(L/2a) − 1), a = H/μg."""
    contact = line.wires.contact
    a = contact.tension / (contact.mu * line.gravity)
    sag = 1e3 * a * (math.cosh(30.0 / a) - 1.0)
    strung = string(_bare(line))
    z = strung.spans(strung.layout.pieces[0])[0].shape["contact"][:, 0]
    found = 1e3 * (z[0] - z.min())
    return near("sag of a free span", found, sag, "mm", "catenary, a cosh x/a", rel=1e-8, by=CLOSED_FORM)


def _parabola(line: Line) -> Check:
    """Deflection under p = 1 N/m in the linear model: p L²/8H, exact on any mesh."""
    model = linear_line(string(_bare(line)))
    path, ell = model.paths[0], np.diff(model.x)
    f = np.zeros((model.ns, model.b))
    f[:-1, path.dof_w] += ell / 2
    f[1:, path.dof_w] += ell / 2
    f[:-1, path.dof_w + 1] += ell**2 / 12
    f[1:, path.dof_w + 1] -= ell**2 / 12
    K = block_matrix(model.K_diag, model.K_off).toarray()
    q = np.linalg.solve(K, (f * model.active).ravel()).reshape(f.shape)
    sag, found = 1e3 * 60.0**2 / (8 * path.tension), 1e3 * float(q[:, path.dof_w].max())
    return near("parabola under 1 N/m", found, sag, "mm", "p L²/8H", rel=1e-10, by=CLOSED_FORM)
