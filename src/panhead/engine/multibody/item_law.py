"""Law of an item: from its expressions to the functions that solvers need, derived and compiled once per law."""

from __future__ import annotations

import functools
from typing import Any, final

import casadi as ca

from panhead.engine.external_calls import record_calls
from panhead.engine.machine_code import MachineCode
from panhead.engine.multibody.native_rows import NativeLaw
from panhead.engine.roles import Expression, Row, Symbols, Terms, WirePath, numbers
from panhead.engine.tables.family_law import CompiledLaw
from panhead.errors import ModelError


@final
class Law(CompiledLaw):
    """The equations that all rows of one family share.

        r = d/dt ∂T/∂v − ∂T/∂q + ∂V/∂q − Q + rows + g_qᵀ lam

    Derivatives are total: a hidden number s with closure c(t, q, s) = 0 moves by s_q = −c_q / c_s
    [Pappalardo16, eqs (8), (13)].
    """

    def __init__(self, row: Row) -> None:
        self.numbers = tuple(all_numbers(row))
        with record_calls() as self.calls:
            self.symbols, self.n = _symbols(row)
            self.terms: Terms = row.terms(self.symbols)
        s = self.symbols
        self.t, self.q, self.v, self.u = s.t, s.q, s.v, s.u
        self._on_tree = isinstance(row.law, tuple) and row.law[0] == "carried" and not self.calls
        g = self.terms.constraint
        self.g = ca.SX(0, 1) if g is None else ca.densify(ca.vertcat(g))
        self.m, self.k = self.g.numel(), len(row.controls)
        if self.m != len(row.constraints):
            raise ModelError(f"{row.law}: {self.m} equations, but {len(row.constraints)} constraint names")
        self.a, self.lam = ca.SX.sym("a", self.n), ca.SX.sym("lam", self.m)
        self.p = ca.vertcat(*(s.p[name] for name in self.numbers), ca.SX(0, 1))
        self.g_q, self.g_t = self.by_q(self.g), self._by_t(self.g)
        self.r = self._motion(self.potential) + self.g_q.T @ self.lam

    def by_q(self, e: Expression) -> Expression:
        """Total derivative ∂e/∂q, including that of the hidden number."""
        return self._total(e, self.symbols.q)

    def by_p(self, e: Expression) -> Expression:
        """Total derivative ∂e/∂p, including that of the hidden number; zero with respect to that number itself."""
        return self._total(e, self.p)

    def _by_t(self, e: Expression) -> Expression:
        """Total derivative ∂e/∂t, including that of the hidden number."""
        return self._total(e, self.symbols.t)

    def _total(self, e: Expression, x: Expression) -> Expression:
        """Total derivative ∂e/∂x with the hidden number s dependent on x: e_x − e_s c_x / c_s."""
        direct = self.jacobian(e, x)
        if self.terms.hidden is None:
            return direct
        c, s = ca.SX(self.terms.closure), self.terms.hidden
        c_x, c_s = self.jacobian(c, x), ca.jacobian(c, s)
        return direct - ca.jacobian(e, s) @ (c_x / c_s if c.numel() == 1 else ca.inv_minor(c_s) @ c_x)

    @property
    def potential(self) -> Expression:
        """V with the energy of strains [J]."""
        V, strain = ca.SX(self.terms.potential), self.terms.strain
        return V if strain is None else V + 0.5 * ca.dot(self.terms.modulus, strain * strain)

    def _motion(self, potential: Expression) -> Expression:
        """The residual without constraint forces."""
        s, terms = self.symbols, self.terms
        T, V = ca.SX(terms.kinetic), potential
        momentum = self.jacobian(T, s.v).T
        if self._on_tree:  # directional derivatives: half as many instructions where expressions are long
            r = ca.jtimes(momentum, s.q, s.v) + ca.jacobian(momentum, s.t) + ca.jtimes(momentum, s.v, self.a)
        else:
            r = self.by_q(momentum) @ s.v + self._by_t(momentum) + self.jacobian(momentum, s.v) @ self.a
        r += self.by_q(V - T).T
        for e in terms.efforts:
            r -= self.jacobian(e.flow, s.v).T @ ca.vertcat(e.effort)
        return r if terms.rows is None else r + terms.rows

    @functools.cached_property
    def at_rest(self) -> MachineCode | None:
        """``tangent`` for Newton's method at rest, which has come to q by the step v         [Magisano17].

            K = ε_qᵀ C ε_q + Σ σᵢ εᵢ_qq,   σ = C (ε + ε_q v) at q − v: the stress as it was foreseen before that step

        Where a thin beam turns far, the stretch that the step has made by the way is nothing the shape will keep: with
        its stress in K the next step is far off. The solution is the same; v = 0 gives the tangent itself.
        """
        if self.terms.strain is None:
            return None
        q, v, (strain, C) = self.q, self.v, (self.terms.strain, self.terms.modulus)
        foreseen = ca.substitute(C * (strain + ca.jtimes(strain, q, v)), q, q - v)
        stress, strain_q = ca.SX.sym("stress", strain.numel()), ca.jacobian(strain, q)
        bent = ca.hessian(ca.dot(stress, strain), q)[0]
        K = ca.substitute(bent, stress, foreseen) + strain_q.T @ ca.diag(C) @ strain_q
        others = self._motion(ca.SX(self.terms.potential)) + self.g_q.T @ self.lam
        K += self.by_q(ca.substitute(others, v, ca.SX.zeros(self.n)))
        S, G = self._tangents
        S = ca.project(self.c[0] * ca.jacobian(self.r, self.a) + self.c[2] * K, S.sparsity())
        return self.code(ca.vertcat(*S.nonzeros()), ca.vertcat(*G.nonzeros(), ca.SX(0, 1)))

    def gamma(self) -> Expression:
        g_dot = self.g_q @ self.v + self.g_t
        return -(self.by_q(g_dot) @ self.v + self._by_t(g_dot))

    def energies(self) -> tuple[Expression, Expression]:
        return ca.SX(self.terms.kinetic), self.potential

    def powers(self) -> list[Expression]:
        """Power of drivers, of controls, dissipated.

        A flow that moves by itself (∂flow/∂t ≠ 0) is moved by a driver, whatever its effort is.
        """
        driver = self._by_t(self.potential) + self.lam.T @ self.g_t
        power = {"driver": driver, "control": ca.SX(0), "dissipated": ca.SX(0)}
        for e in self.terms.efforts:
            effort, flow = ca.vertcat(e.effort), ca.vertcat(e.flow)
            moved = flow - self.jacobian(flow, self.v) @ self.v
            power["driver"] -= ca.dot(effort, moved)
            power[e.account] += ca.dot(effort, flow)
        power["dissipated"] = -power["dissipated"]
        return [ca.SX(x) for x in power.values()]

    @functools.cached_property
    def outputs(self) -> MachineCode:
        """Outputs that may be observed."""
        return self.code(*(ca.SX(x) for x in self.terms.outputs.values()))

    @functools.cached_property
    def output_slopes(self) -> MachineCode:
        """∂(outputs)/∂(q, v, p), (outputs, 2 n + np), row by row."""
        return self.code(self.slopes(ca.vertcat(*(ca.SX(x) for x in self.terms.outputs.values()))))

    @functools.cached_property
    def slips(self) -> int:
        """Directions in which a contact slides."""
        return 0 if self.terms.slip is None else int(ca.vertcat(self.terms.slip).numel())

    @functools.cached_property
    def touching(self) -> MachineCode:
        """A contact's gap (1), W row by row (1 + slips, n) and w (1 + slips): γ = W v + w."""
        W, w = self.g_q, self.g_t
        if self.terms.slip is not None:
            slip = ca.vertcat(self.terms.slip)
            W = ca.vertcat(W, ca.jacobian(slip, self.v))
            w = ca.vertcat(w, ca.substitute(slip, self.v, ca.SX.zeros(self.n)))
        return self.code(self.g, W, w)

    @functools.cached_property
    def closing(self) -> MachineCode:
        """Closures of the hidden numbers, their slopes, and the direction to go on with: c, ∂c/∂s, h if it turns."""
        c, h = ca.SX(self.terms.closure), self.terms.across
        return self.code(c, ca.jacobian(c, self.terms.hidden), *(() if h is None else (h,)))


def all_numbers(row: Row) -> dict[str, float]:
    """Every number of a row's line in the table: of markers ("0.…", "1.…"), of the track, its own."""
    found = {f"{k}.{name}": x for k, marker in enumerate(row.markers) for name, x in marker.numbers.items()}
    for name, track in zip(track_names(row), row.tracks, strict=True):
        begin, end = track.breaks[:2]
        found |= {f"{name}.begin": begin, f"{name}.length": end - begin}
        found |= {f"{name}.{number}": x for number, x in track.numbers.items()}
        found |= numbers(f"{name}.across", track.across)
    return found | dict(row.numbers)


def track_names(row: Row) -> tuple[str, ...]:
    """Prefixes of the numbers of each track of a row."""
    return ("track", "track 2")[: len(row.tracks)]


def law_of(row: Row) -> Law | NativeLaw:
    """The law of a row, derived on first use and cached for the process."""
    key = (
        row.law,
        row.native,
        tuple(marker.law for marker in row.markers),
        tuple(track.law for track in row.tracks),
        tuple(all_numbers(row)),
        len(row.controls),
    )
    if key not in _LAWS:
        _LAWS[key] = Law(row) if row.native is None else NativeLaw(row.native, row)
    return _LAWS[key]


_LAWS: dict[Any, Law | NativeLaw] = {}


def _symbols(row: Row) -> tuple[Symbols, int]:
    """Symbols for the coordinates of markers, track and item, in this order, and their number."""
    parts = [len(x) for x in (*(m.coordinates for m in row.markers), *(w.elements[0] for w in row.tracks), row.owned)]
    n = sum(parts)
    q, v, t = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("t")
    p: dict[str, Any] = {name: ca.SX.sym(name) for name in all_numbers(row)}
    split_q, split_v = ca.vertsplit(q, _offsets(parts)), ca.vertsplit(v, _offsets(parts))
    frames = []
    for k, marker in enumerate(row.markers):
        local = {name.removeprefix(f"{k}."): x for name, x in p.items() if name.startswith(f"{k}.")}
        frames.append(marker.frame(Symbols(t, split_q[k], split_v[k], split_q[k], split_v[k], ca.SX(0, 1), local, ())))
    wires = []
    for k, name in enumerate(track_names(row)):
        own = {n.removeprefix(f"{name}."): x for n, x in p.items() if n.startswith(f"{name}.")}
        wires.append(functools.partial(_on_track, row.tracks[k], split_q[len(row.markers) + k], own))
    u = ca.SX.sym("u", len(row.controls))
    return Symbols(t, q, v, split_q[-1], split_v[-1], u, p, tuple(frames), tuple(wires)), n


def _on_track(track: WirePath, e: Expression, own: dict[str, Any], s: Expression) -> Expression:
    return track.position(s - own["begin"], own["length"], e, own)


def _offsets(parts: list[int]) -> list[int]:
    total = [0]
    for size in parts:
        total.append(total[-1] + size)
    return total
