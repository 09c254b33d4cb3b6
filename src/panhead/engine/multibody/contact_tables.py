"""Contacts of a model for solvers: gaps, their rates and slips, from tables of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from panhead.engine.kernels.contact_rows import add_contact_rows
from panhead.engine.kernels.element_families import evaluate
from panhead.engine.kernels.sliders import NO_SLIDES, follow
from panhead.engine.multibody.slider_tables import slides_of
from panhead.engine.system import CompiledFamilies, ContactRows, Vector
from panhead.engine.tables.flat_arrays import Family, tables_of, work_for
from panhead.errors import SimulationError


@final
class Contacts:
    """Unilateral contacts of a model; see ``panhead.engine.system.ContactTerms``."""

    def __init__(self, families: Sequence[Family], coordinates: Sequence[str]) -> None:
        self._families = tuple(families)
        self.names = tuple(owner for family in families for owner in family.owners)
        laws = [row.impact for family in families for row in family.rows]
        self.restitution, self.friction = (
            np.array([getattr(law, field) for law in laws], dtype=float) for field in ("restitution", "friction")
        )
        held = [law and law.static_friction for law in laws]
        self.static_friction = np.array([mu if x is None else x for x, mu in zip(held, self.friction, strict=True)])
        self.poisson = np.array([law is not None and law.rule == "poisson" for law in laws])
        self.two_sided = np.array([row.two_sided for family in families for row in family.rows])
        widths = [1 + family.law.slips for family in families for _ in family.rows]
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self._tables, self._work = tables_of(families, places_only=True), work_for(families)
        self._slides = slides_of(families, self._tables, coordinates)
        self._code = np.array([[f.law.touching.address, 1 + f.law.slips] for f in families], dtype=np.int64)
        self._nothing = np.zeros(len(self.names))
        self._nq = len(coordinates)
        tracks = [len(row.tracks) for family in families for row in family.rows]
        self._slider = np.repeat(np.arange(len(tracks)), tracks)  # the contact of each slider

    @property
    def families(self) -> CompiledFamilies:
        """Tables of the contacts, with their sliders."""
        return CompiledFamilies(self._tables, self._work, self._slides, np.zeros(0, np.int64))

    def at(self, t: float, q: Vector) -> ContactRows:
        """Gaps, W and w; a gap beside the end of a wire is infinite."""
        gap, w = np.zeros(len(self.names)), np.zeros(self.first[-1])
        W = np.zeros((len(w), self._nq))
        q = np.ascontiguousarray(q, dtype=float)
        if self._slides is not NO_SLIDES:
            follow(self._tables, self._work, self._slides, float(t), q, self._nothing)
        add_contact_rows(self._tables, self._work, self._code, float(t), q, self._nothing, gap, W, w)
        self._require_numbers(t, q, gap)
        for k, contact in enumerate(self._slider):
            row, arc = self._slides.rows[k], self._slides.arc[k]
            first, last = self._slides.breaks[row[9]], self._slides.breaks[row[9] + row[8]]
            if not first <= arc <= last:
                gap[contact] = np.inf
        return ContactRows(gap, W, w)

    def _require_numbers(self, t: float, q: Vector, gap: Vector) -> None:
        lost = np.flatnonzero(np.isnan(gap))
        if len(lost) and np.isfinite(q).all():
            raise SimulationError(
                f"the gap of {self.names[lost[0]]!r} is undefined at t = {t:.6g} s: the two sides are "
                "parallel or coincide. For parallel wires use BeamContact at several places of one of them."
            )

    def touching(self, t: float, q: Vector) -> np.ndarray:
        """Return contact points and the directions in which the first body pushes the second: (n, 2, 3) [m, 1]."""
        nowhere = ~np.isfinite(self.at(t, q).gap)
        q, nothing = np.ascontiguousarray(q, dtype=float), self._nothing
        found = [
            evaluate(self._tables, self._work, f, x.law.outputs.address, 6, float(t), q, q, q, nothing, nothing)
            for f, x in enumerate(self._families)
        ]
        out = np.concatenate(found).reshape(-1, 2, 3)
        out[nowhere] = np.nan
        return out
