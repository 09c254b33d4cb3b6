"""Power-oriented graphs of a mechanism: the Euler–Lagrange and the factorized model in integral causality.

    M ẍ = τ + Q_e − N ẋ                                              [Tebaldi25, fig. 1(a)]
    ẏ = (T⁺)ᵀ (τ + Q_e) + P Ṫ T⁺ y,   ẋ = T⁺ y                       [Tebaldi25, fig. 1(b)]

A dashed line cuts a pair of signals whose product is a power: τ·ẋ before the factor, ((T⁺)ᵀτ)·y behind it, the same
since T⁺T = 1. Forces of the description, rotation of T and measured signals are drawn only if the mechanism has them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

import casadi as ca

from panhead.desk.drawing.diagram import Diagram, DiagramArrow, DiagramBox, DiagramCut, DiagramPart, DiagramSum
from panhead.engine.factorized.form import Factorization

_TOP, _MIDDLE, _BOTTOM = 70.0, 165.0, 260.0  # of the drawing [px]
_FEW = 4  # names written out


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PowerGraph:
    """Data of the power-oriented graphs of a mechanism."""

    coordinates: tuple[str, ...]
    rows: tuple[str, ...]  #: of T
    external: tuple[str, ...] = ()  #: measured signals that T depends on
    forced: bool = False  #: it has forces of its own, Q_e
    turning: bool = False  #: T moves, and has more rows than columns

    @classmethod
    def of(cls, form: Factorization, coordinates: Sequence[str], external: Sequence[str] = ()) -> PowerGraph:
        """Read off the factorized form; forces that controls make are τ, those of the description Q_e."""
        own = form.Q_e if not form.u.numel() else _without_controls(form)
        return cls(
            coordinates=tuple(coordinates),
            rows=form.rows,
            external=tuple(external),
            forced=not own.is_zero(),
            turning=form.T.shape[0] > form.T.shape[1] and not form.T_dot.is_zero(),
        )

    def as_json(self) -> str:
        """JSON text for an attribute of a dataset."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> PowerGraph:
        """Read the output of ``as_json``."""
        kept = json.loads(text)
        coordinates, rows, external = (tuple(kept[key]) for key in ("coordinates", "rows", "external"))
        return cls(
            coordinates=coordinates, rows=rows, external=external, forced=kept["forced"], turning=kept["turning"]
        )

    def euler_lagrange(self) -> Diagram:
        """Fig. 1(a)."""
        n, at = len(self.coordinates), 300.0
        parts = self._input(at)
        parts += [
            DiagramBox(at, 125, ("M⁻¹", f"{n}×{n}"), 110, 46),
            DiagramBox(at, 205, ("∫ dt",), 110, 40),
            DiagramArrow(((at, _TOP + 10), (at, 102))),
            DiagramArrow(((at, 148), (at, 185)), "ẍ", (at + 14, 172)),
            DiagramArrow(
                ((at, 225), (at, _BOTTOM), (40, _BOTTOM)), f"ẋ ({_short(self.coordinates)})", (200, _BOTTOM + 20)
            ),
        ]
        if self.turning or self.external:
            parts += _loop(at, 470, ("N", f"{n}×{n}"), "−", "N ẋ")
            parts += self._measured_signals(470, _MIDDLE, rates=True)
        return Diagram(700, 300, parts)

    def factorized(self) -> Diagram:
        """Fig. 1(b)."""
        n, m, factor, at = len(self.coordinates), len(self.rows), 270.0, 490.0
        parts = self._input(factor - 55, ends=False)
        parts += [
            DiagramBox(factor, _TOP, ("(T⁺)ᵀ", f"{m}×{n}")),
            DiagramBox(factor, _BOTTOM, ("T⁺", f"{n}×{m}")),
            DiagramCut(390, 30, _BOTTOM + 38, "((T⁺)ᵀτ)·y"),
            DiagramArrow(((factor + 55, _TOP), (at - 10, _TOP))),
            DiagramSum(at, _TOP, ((-18, -10, "+"),)),
            DiagramArrow(((at, _TOP + 10), (at, _MIDDLE - 20)), "ẏ", (at + 14, 122)),
            DiagramBox(at, _MIDDLE, ("∫ dt",), 110, 40),
            DiagramArrow(((at, _MIDDLE + 20), (at, _BOTTOM), (factor + 55, _BOTTOM)), f"y ({_short(self.rows)})",
                (400, _BOTTOM + 26), "start"),
            DiagramArrow(((factor - 55, _BOTTOM), (40, _BOTTOM)), f"ẋ ({_short(self.coordinates)})",
                (120, _BOTTOM + 20)),
        ]  # fmt: skip
        if self.turning:
            parts += _loop(at, 660, ("P Ṫ T⁺", f"{m}×{m}"), "+", "P Ṫ ẋ")
        parts += self._measured_signals(factor, _MIDDLE, rates=False)
        return Diagram(900, 310, parts)

    def _input(self, to: float, *, ends: bool = True) -> list[DiagramPart]:
        """τ, the forces of the mechanism itself, and the cut through τ and ẋ."""
        parts: list[DiagramPart] = [DiagramCut(60, 30, _BOTTOM + 38, "τ·ẋ")]
        if ends:
            parts += [DiagramSum(to, _TOP, ((-18, -10, "+"),))]
        stop = to - 10 if ends else to
        if not self.forced:
            return [*parts, DiagramArrow(((40, _TOP), (stop, _TOP)), "τ", (100, _TOP - 10))]
        return [
            *parts,
            DiagramArrow(((40, _TOP), (120, _TOP)), "τ", (90, _TOP - 10)),
            DiagramSum(130, _TOP, ((-16, -12, "+"), (16, 26, "+"))),
            DiagramArrow(((140, _TOP), (stop, _TOP))),
            DiagramBox(130, _MIDDLE, ("Q_e", "own forces"), 92, 46),
            DiagramArrow(((130, _BOTTOM), (130, _MIDDLE + 23))),
            DiagramArrow(((130, _MIDDLE - 23), (130, _TOP + 10))),
        ]

    def _measured_signals(self, x: float, y: float, *, rates: bool) -> list[DiagramPart]:
        """Measured signals that enter the factor, or N with their rates."""
        if not self.external:
            return []
        names = _short(self.external)
        if rates:
            return [DiagramArrow(((x + 120, y), (x + 55, y)), f"{names}, d{names}/dt", (x + 124, y + 5), "start", True)]
        return [
            DiagramArrow(((x, y - 8), (x, _TOP + 26)), dashed=True),
            DiagramArrow(((x, y + 8), (x, _BOTTOM - 26)), names, (x, y + 5), dashed=True),
        ]


def _loop(at: float, x: float, lines: tuple[str, str], sign: str, label: str) -> list[DiagramPart]:
    """A block fed by the lower line that acts back on the sum above."""
    return [
        DiagramArrow(((at, _BOTTOM), (x, _BOTTOM), (x, _MIDDLE + 26))),
        DiagramBox(x, _MIDDLE, lines),
        DiagramArrow(((x, _MIDDLE - 26), (x, _TOP), (at + 10, _TOP)), label, ((at + x) / 2, _TOP - 10)),
        DiagramSum(at, _TOP, ((18, -10, sign),)),
    ]


def _without_controls(form: Factorization) -> Any:
    return ca.simplify(ca.substitute(form.Q_e, form.u, ca.SX.zeros(form.u.shape)))


def _short(names: Sequence[str]) -> str:
    """Some names, and how many more."""
    left = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {left} more" if left > 0 else "")
