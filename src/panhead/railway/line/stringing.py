"""Stringing: the static shape, dropper lengths and dropper forces of a tension length.

A wire kept at the horizontal force H by its weights obeys, with y to the side and z up,

    EI z⁗ − H z″ = −μ g s′/(1 + H s′/EA) + f_z,   EI y⁗ − H y″ = f_y,   s′ = √(1 + y′² + z′²)

which is the elastic catenary exactly when EI = 0 [Irvine81, ch. 2]: droppers hang in the plane
across the track, so they leave H alone. Droppers pull along n = (p_top − p_bottom)/L with N; each
adds one unknown N and one equation, either  z_bottom = wanted  or  N = max(0, k (L − L₀)).
All of it is one Newton iteration on one sparse matrix (``panhead.railway.line.stringing_equations``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.errors import ModelError, NotConverged
from panhead.railway.line.span_grid import Y, Z
from panhead.railway.line.span_mesh import SpanMesh
from panhead.railway.line.stringing_equations import Balance, solve

_LOOSE = 0.1  # m
_STAGES = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of the way from drawn lengths to given ones
_PATIENT = 80  # iterations of a stage


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
    reaction: dict[str, np.ndarray]  #: role → (2, 2) what the two masts hold it with: up, to the left [N]


def string_spans(meshes: list[SpanMesh], names: list[str]) -> Balance:
    """Equilibrium of consecutive spans of one tension length."""
    balance = Balance(meshes, names)
    try:
        solve(balance)
    except NotConverged:
        if balance.wanted.all():
            raise
        balance = _solve_by_stages(meshes, names)
    _refuse_loose(balance)
    _refuse_crossing(balance)  # first: under crossing wires droppers seem to push
    _refuse_pushing(balance)
    if balance.links.error.any():
        balance.cut_lengths()
        solve(balance)
        _refuse_crossing(balance)
    return balance


def _solve_by_stages(meshes: list[SpanMesh], names: list[str]) -> Balance:
    """Droppers of given length at their drawn heights first, then to their lengths in steps: light ones flicker."""
    balance = Balance(meshes, names)
    balance.by_height[:] = True
    solve(balance)
    L, _ = balance.geometry()
    drawn, given = L - balance.tension / balance.links.k, np.nan_to_num(balance.given)
    balance.by_height[:] = balance.wanted
    for share in _STAGES:
        balance.given = np.where(balance.wanted, balance.given, drawn + share * (given - drawn))
        solve(balance, max_iterations=_PATIENT)
    return balance


def _refuse_pushing(balance: Balance) -> None:
    N = balance.tension
    pushing = balance.wanted & (N < -1e-6)
    if pushing.any():
        worst = int(np.argmin(np.where(pushing, N, 0.0)))
        plan = balance.grid.meshes[int(balance.links.span[worst])].plan
        rising = plan.left.lift != plan.right.lift
        remedy = "give the overlap less lift" if rising else "lower its neighbours, give less pre-sag"
        raise ModelError(
            f"{balance.links.names[worst]} would have to push with {-N[worst]:.1f} N to give the "
            f"wire its prescribed height there; {remedy}, or remove it"
        )


def _refuse_loose(balance: Balance) -> None:
    """Refuse a dropper that is far too long, slack at rest: its length belongs elsewhere or is a typing error."""
    L, _ = balance.geometry()
    loose = np.where(balance.wanted, 0.0, balance.given - L)
    if loose.size and loose.max() > _LOOSE:
        k = int(np.argmax(loose))
        raise ModelError(
            f"{balance.links.names[k]}: its length of {balance.given[k]:g} m is more than the {L[k]:.3g} m between the "
            f"wires there, so that it is slack at rest by {loose[k]:.3g} m; shorten it, or remove its length"
        )


def _refuse_crossing(balance: Balance) -> None:
    """Refuse crossing wires: at droppers, and the messenger below the contact wire."""
    remedy = "the wires cross; give more encumbrance or more tension"
    dz = balance.q[balance.links.z[:, 0]] - balance.q[balance.links.z[:, 1]]
    if dz.size and dz.min() <= 0:
        k = int(np.argmin(dz))
        upper, lower = balance.links.ends[k]
        raise ModelError(
            f"{balance.links.names[k]}: the {upper} wire is {-dz[k]:.3f} m below the {lower} wire there: {remedy}"
        )
    if "messenger" not in balance.grid.roles:
        return
    above = balance.shape("messenger")[:, 0] - balance.shape("contact")[:, 0]
    if above.min() <= 0:
        i = int(np.argmin(above))
        raise ModelError(
            f"{balance.grid.place(i)}: the messenger is {-above[i]:.3f} m below the contact wire: {remedy}"
        )


def split_spans(balance: Balance) -> list[StrungSpan]:
    """Split the solution of the whole run into one StrungSpan per span."""
    L, n = balance.geometry()
    found = L - balance.tension / balance.links.k
    unstretched = np.where(balance.by_height, found, balance.given)
    grid, result = balance.grid, []
    shapes = {role: balance.shape(role) for role in grid.roles}
    held = balance.reaction().reshape(grid.n, len(grid.roles), 4)[grid.starts]  # (masts, roles, z z′ y y′)
    for s, mesh in enumerate(grid.meshes):
        stations = slice(grid.starts[s], grid.starts[s + 1] + 1)
        mine = balance.links.span == s
        result.append(
            StrungSpan(
                mesh=mesh,
                shape={role: values[stations].copy() for role, values in shapes.items()},
                tension=balance.tension[mine],
                length=L[mine],
                unstretched=unstretched[mine],
                direction=n[mine],
                arm_pull=balance.arm_pull[[s, s + 1]],
                reaction={role: held[s : s + 2, k][:, [Z, Y]] for k, role in enumerate(grid.roles)},
            )
        )
    return result
