"""Pack families of elements into the flat arrays that kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from panhead.engine.kernels.element_families import LANES, LaneRoom, Tables
from panhead.engine.kernels.equations import Equations, equations
from panhead.engine.kernels.sliders import Slides


@final
@dataclass(frozen=True, slots=True)
class Family:
    """Elements of one law, with their places among the unknowns (q, lam) and the controls, and their numbers."""

    law: Any  #: a CompiledLaw, or what stands for one
    rows: tuple[Any, ...]  #: what the elements were described by
    owners: tuple[str, ...]  #: names of the parts; "" if numbers have no prefix
    places: np.ndarray  # (elements, n + m + k)
    values: np.ndarray  # (elements, np)


def tables_of(families: Sequence[Family], *, places_only: bool = False) -> Tables:
    """The flat arrays; compiles what is not compiled yet, or nothing for elements that are no equations."""
    sizes = np.zeros((len(families), 12), dtype=np.int64)
    idx, p, local = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros((2, 0), np.int64)]
    first = np.zeros(4, dtype=np.int64)  # of idx, p, slots, local
    for f, family in enumerate(families):
        law, count = family.law, len(family.owners)
        S, G = (np.zeros((2, 0), np.int64),) * 2 if places_only else law.entries
        sizes[f] = (
            count, law.n, law.m, law.k, len(law.numbers), *first[:3], S.shape[1], G.shape[1], first[3], law.lanes,
        )  # fmt: skip
        idx.append(family.places.ravel())
        p.append(family.values.ravel())
        local += [S, G]
        per_element = S.shape[1] + 2 * G.shape[1]
        first += family.places.size, family.values.size, count * per_element, len(S[0]) + len(G[0])
    flat = (sizes, np.concatenate(idx), np.ascontiguousarray(np.hstack(local)), np.concatenate(p))
    if places_only:
        return Tables(*flat, *(np.zeros(len(families), np.int64) for _ in range(5)))
    laws = [f.law for f in families]
    return Tables(
        *flat,
        residual=_addresses([law.residual for law in laws]),
        tangent=_addresses([law.tangent for law in laws]),
        account=_addresses([law.account for law in laws]),
        rates=_addresses([law.rates if law.m else None for law in laws]),
        active=np.array([law.active for law in laws], dtype=np.int64),
    )


def equations_of(
    families: Sequence[Family], tables: Tables, work: LaneRoom, slides: Slides, sizes: tuple[int, int, int]
) -> Equations:
    """Return the arrays for kernels over dense terms; compiles what is not compiled yet. sizes: nq, nc, nu."""
    mass, local = np.zeros((len(families), 2), np.int64), [np.zeros((2, 0), np.int64)]
    first = 0
    for f, family in enumerate(families):
        entries = family.law.mass_entries
        mass[f] = entries.shape[1], first
        local.append(entries)
        first += entries.shape[1]
    explicit = _addresses([f.law.explicit for f in families])
    flat, whole = np.ascontiguousarray(np.hstack(local)), np.zeros(0)
    if len(families) == 1 and families[0].law.whole:
        law = families[0].law
        whole = np.concatenate([np.zeros(1 + 2 * law.n + law.k), tables.p])
    return equations(tables, work, slides, explicit, mass, flat, sizes, whole)


def work_for(families: Sequence[Family]) -> LaneRoom:
    """Room for LANES elements of the largest family."""
    laws = [f.law for f in families]
    x = max((4 + 3 * w.n + w.m + w.k + len(w.numbers) for w in laws), default=1)
    y = max(((w.n + w.m) * (w.n + w.m + len(w.numbers) + w.k) + w.n + 3 * w.m + 5 for w in laws), default=1)
    return LaneRoom(np.zeros(LANES * x), np.zeros(LANES * y))


def _addresses(codes: Sequence[Any]) -> np.ndarray:
    return np.array([0 if code is None else code.address for code in codes], dtype=np.int64)
