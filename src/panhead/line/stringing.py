"""Stringing: the static shape, dropper lengths and dropper forces of a tension length.

A wire kept at the horizontal force H by its weights obeys, with y to the side and z up,

    EI z⁗ − H z″ = −μ g s′/(1 + H s′/EA) + f_z,   EI y⁗ − H y″ = f_y,   s′ = √(1 + y′² + z′²)

which is the elastic catenary exactly when EI = 0 [Irvine81, ch. 2]: droppers hang in the plane across
the track, so they leave H alone. Droppers pull along n = (p_top − p_bottom)/L with N; each adds one
unknown N and one equation, either  z_bottom = wanted  or  N = max(0, k (L − L₀)).
All of it is one Newton iteration on one sparse matrix (``panhead.line.balance``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.errors import ModelError
from panhead.line.balance import Balance, solve
from panhead.line.mesh import SpanMesh


@dataclass(frozen=True, slots=True)
class StrungSpan:
    """The static shape of one span of one tension length, and its droppers."""

    mesh: SpanMesh
    shape: dict[str, np.ndarray]  #: role → (n + 1, 4): z, z′, y, y′ at the stations; NaN: no wire
    tension: np.ndarray  #: (n_links,) dropper forces N [N]
    length: np.ndarray  #: (n_links,) stretched lengths [m]
    unstretched: np.ndarray  #: (n_links,) lengths to cut [m]
    direction: np.ndarray  #: (n_links, 2) unit vector (z, y) from the lower to the upper end
    arm_pull: np.ndarray  #: (2,) lateral pull on the contact wire's hold at the two masts [N]


def string_run(meshes: list[SpanMesh], names: list[str]) -> list[StrungSpan]:
    """String consecutive spans of one tension length; ``names`` are the spans' names for messages."""
    balance = Balance(meshes, names)
    solve(balance)  # every dropper at the height wanted or, for given lengths, guessed
    if not balance.wanted.all():
        balance.use_lengths()
        solve(balance)
    _refuse_pushing(balance)
    if balance.link_error.any():
        balance.cut_lengths(errors=True)
        solve(balance)
    _refuse_crossing(balance)
    return _cut(balance)


def _refuse_pushing(balance: Balance) -> None:
    N = balance.tension
    wanted = balance.wanted & (N < -1e-6)
    if wanted.any():
        worst = int(np.argmin(np.where(wanted, N, 0.0)))
        raise ModelError(
            f"{balance.link_names[worst]} would have to push with {-N[worst]:.1f} N to give the wire the height "
            "wanted there; lower its neighbours, give less pre-sag, or leave it out"
        )


def _refuse_crossing(balance: Balance) -> None:
    L, _ = balance.geometry()
    z = {role: balance.shape(role)[:, 0] for role in balance.roles}
    for k, (upper, lower) in enumerate(balance.link_roles):
        i = balance.link_station[k]
        if z[upper][i] - z[lower][i] <= 0 or L[k] <= 0:
            raise ModelError(
                f"{balance.link_names[k]}: the {upper} hangs {z[lower][i] - z[upper][i]:.3f} m below the {lower} "
                "wire there: crossing wires; give more encumbrance or more tension"
            )
    above = balance.shape("messenger")[:, 0] - balance.shape("contact")[:, 0]
    if above.min() <= 0:
        i = int(np.argmin(above))
        raise ModelError(
            f"{balance.place(i)}: the messenger hangs {-above[i]:.3f} m below the contact wire: crossing wires; "
            "give more encumbrance or more tension"
        )


def _cut(balance: Balance) -> list[StrungSpan]:
    """One StrungSpan per span out of the whole run."""
    L, n = balance.geometry()
    unstretched = np.where(balance.by_height, L - balance.tension / balance.link_k, balance.given)
    result = []
    for s, mesh in enumerate(balance.meshes):
        a, b = balance.starts[s], balance.starts[s + 1]
        mine = balance.link_span == s
        result.append(StrungSpan(
            mesh=mesh, shape={role: balance.shape(role)[a : b + 1].copy() for role in balance.roles},
            tension=balance.tension[mine], length=L[mine], unstretched=unstretched[mine], direction=n[mine],
            arm_pull=balance.arm_pull[[s, s + 1]],
        ))
    return result
