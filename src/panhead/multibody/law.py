"""From what an item writes down to what methods need: derived once per law, compiled, kept."""

from __future__ import annotations

import functools
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.errors import ModelError
from panhead.machine_code import MachineCode, machine_code
from panhead.multibody.native import NativeLaw
from panhead.roles import Expression, Row, Symbols, Terms, numbers


@final
class Law:
    """The equations that all rows of one family share.

        r = d/dt ∂T/∂v − ∂T/∂q + ∂V/∂q − Q + rows + g_qᵀ lam

    Derivatives are total: a hidden number s with closure c(t, q, s) = 0 moves by s_q = −c_q / c_s
    [Pappalardo16, eqs (8), (13)].
    """

    def __init__(self, row: Row) -> None:
        self.numbers = tuple(all_numbers(row))
        self.symbols, self.n = _symbols(row)
        self.terms: Terms = row.terms(self.symbols)
        g = self.terms.constraint
        self.g = ca.SX(0, 1) if g is None else ca.densify(ca.vertcat(g))
        self.m, self.k = self.g.numel(), len(row.controls)
        if self.m != len(row.constraints):
            raise ModelError(
                f"{row.law}: {self.m} equations, {len(row.constraints)} names for them"
            )
        self.a, self.lam, self.c = (
            ca.SX.sym("a", self.n),
            ca.SX.sym("lam", self.m),
            ca.SX.sym("c", 3),
        )
        self._p = ca.vertcat(*(self.symbols.p[name] for name in self.numbers), ca.SX(0, 1))
        self.g_q, self.g_t = self._by_q(self.g), self._by_t(self.g)
        self.r = self._motion() + self.g_q.T @ self.lam

    def _by_q(self, e: Expression) -> Expression:
        """∂e/∂q with the hidden number following."""
        direct = ca.jacobian(e, self.symbols.q)
        if self.terms.hidden is None:
            return direct
        c, s = ca.SX(self.terms.closure), self.terms.hidden
        return direct - ca.jacobian(e, s) @ (ca.jacobian(c, self.symbols.q) / ca.jacobian(c, s))

    def _by_t(self, e: Expression) -> Expression:
        """∂e/∂t with the hidden number following."""
        direct = ca.jacobian(e, self.symbols.t)
        if self.terms.hidden is None:
            return direct
        c, s = ca.SX(self.terms.closure), self.terms.hidden
        return direct - ca.jacobian(e, s) @ (ca.jacobian(c, self.symbols.t) / ca.jacobian(c, s))

    def _motion(self) -> Expression:
        """The residual without constraint forces."""
        s, terms = self.symbols, self.terms
        T, V = ca.SX(terms.kinetic), ca.SX(terms.potential)
        momentum = ca.jacobian(T, s.v).T
        r = self._by_q(momentum) @ s.v + self._by_t(momentum) + ca.jacobian(momentum, s.v) @ self.a
        r += self._by_q(V - T).T
        for e in terms.efforts:
            r -= ca.jacobian(e.flow, s.v).T @ ca.vertcat(e.effort)
        return r if terms.rows is None else r + terms.rows

    def _inputs(self) -> list[Expression]:
        s = self.symbols
        return [s.t, self.c, s.q, s.v, self.a, self.lam, s.u, self._p]

    def _code(self, *outputs: Expression) -> MachineCode:
        return machine_code(self._inputs(), outputs)

    @functools.cached_property
    def residual(self) -> MachineCode:
        """r (n), g (m)."""
        return self._code(self.r, self.g)

    @functools.cached_property
    def _tangents(self) -> tuple[Expression, Expression]:
        """c_a ∂r/∂a + c_v ∂r/∂v + c_q ∂r/∂q, (n, n), and g_q, (m, n), both sparse."""
        S = self.c[0] * ca.jacobian(self.r, self.a) + self.c[1] * ca.jacobian(
            self.r, self.symbols.v
        )
        return ca.sparsify(S + self.c[2] * self._by_q(self.r)), ca.sparsify(self.g_q)

    @functools.cached_property
    def tangent(self) -> MachineCode:
        """The entries of the tangent, then those of g_q, in the order of ``entries``."""
        return self._code(*(ca.vertcat(*x.nonzeros(), ca.SX(0, 1)) for x in self._tangents))

    @functools.cached_property
    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the entries of the tangent, (2, ·), and of g_q, (2, ·)."""
        S, G = (
            np.array(x.sparsity().get_triplet(), dtype=np.int64).reshape(2, -1)
            for x in self._tangents
        )
        return S, G

    @functools.cached_property
    def rates(self) -> MachineCode:
        """g_t (m), gamma (m): ġ = g_q v + g_t, g̈ = g_q a − gamma."""
        g_dot = self.g_q @ self.symbols.v + self.g_t
        gamma = -(self._by_q(g_dot) @ self.symbols.v + self._by_t(g_dot))
        return self._code(self.g_t, gamma)

    @functools.cached_property
    def account(self) -> MachineCode:
        """T, V [J]; power of drivers, of controls, dissipated [W]."""
        powers, work = self._powers()
        del work
        return self._code(ca.SX(self.terms.kinetic), ca.SX(self.terms.potential), *powers)

    def _powers(self) -> tuple[list[Expression], bool]:
        """Power of drivers, of controls, dissipated; and whether any of them can differ from zero.

        A flow that moves by itself (∂flow/∂t ≠ 0) is moved by a driver, whatever its effort is.
        """
        V = ca.SX(self.terms.potential)
        power = {
            "driver": self._by_t(V) + self.lam.T @ self.g_t,
            "control": ca.SX(0),
            "dissipated": ca.SX(0),
        }
        for e in self.terms.efforts:
            effort, flow = ca.vertcat(e.effort), ca.vertcat(e.flow)
            moved = flow - ca.jacobian(flow, self.symbols.v) @ self.symbols.v
            power["driver"] -= ca.dot(effort, moved)
            power[e.account] += ca.dot(effort, flow)
        power["dissipated"] = -power["dissipated"]
        values = [ca.SX(x) for x in power.values()]
        return values, not all(x.is_zero() for x in values)

    @functools.cached_property
    def active(self) -> bool:
        """Whether it moves energy into the model or out of it."""
        return self._powers()[1]

    @functools.cached_property
    def by_control(self) -> MachineCode:
        """∂r/∂u, (n, k)."""
        return self._code(ca.jacobian(self.r, self.symbols.u))

    @functools.cached_property
    def by_number(self) -> MachineCode:
        """∂(r, g)/∂p, (n + m, np)."""
        return self._code(ca.jacobian(ca.vertcat(self.r, self.g), self._p))

    @functools.cached_property
    def outputs(self) -> MachineCode:
        """What may be observed."""
        return self._code(*(ca.SX(x) for x in self.terms.outputs.values()))

    @functools.cached_property
    def closing(self) -> MachineCode:
        """The closure of the hidden number and its slope: c, ∂c/∂s."""
        c = ca.SX(self.terms.closure)
        return self._code(c, ca.jacobian(c, self.terms.hidden))


def all_numbers(row: Row) -> dict[str, float]:
    """Every number of a row's line in the table: of markers ("0.…", "1.…"), of the track, its own."""
    found = {
        f"{k}.{name}": x
        for k, marker in enumerate(row.markers)
        for name, x in marker.numbers.items()
    }
    if row.track is not None:
        track, (begin, end) = row.track, row.track.breaks[:2]
        found |= {"track.begin": begin, "track.length": end - begin}
        found |= {f"track.{name}": x for name, x in track.numbers.items()}
        found |= numbers("track.across", track.across)
    return found | dict(row.numbers)


def law_of(row: Row) -> Law | NativeLaw:
    """The law of a row, derived on first need and kept for every model of this process."""
    key = (
        row.law,
        row.native,
        tuple(marker.law for marker in row.markers),
        row.track and row.track.law,
        tuple(all_numbers(row)),
        len(row.controls),
    )
    if key not in _LAWS:
        _LAWS[key] = Law(row) if row.native is None else NativeLaw(row.native, row)
    return _LAWS[key]


_LAWS: dict[Any, Law | NativeLaw] = {}


def _symbols(row: Row) -> tuple[Symbols, int]:
    """Symbols for the coordinates of markers, track and item, in this order, and their number."""
    on_track = row.track.elements[0] if row.track else ()
    parts = [len(m.coordinates) for m in row.markers] + [len(on_track), len(row.owned)]
    n = sum(parts)
    q, v, t = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("t")
    p: dict[str, Any] = {name: ca.SX.sym(name) for name in all_numbers(row)}
    split_q, split_v = ca.vertsplit(q, _offsets(parts)), ca.vertsplit(v, _offsets(parts))
    frames = []
    for k, marker in enumerate(row.markers):
        local = {name.removeprefix(f"{k}."): x for name, x in p.items() if name.startswith(f"{k}.")}
        frames.append(
            marker.frame(
                Symbols(t, split_q[k], split_v[k], split_q[k], split_v[k], ca.SX(0, 1), local, ())
            )
        )
    wire = None
    if row.track is not None:
        track, e = row.track, split_q[len(row.markers)]
        own = {n.removeprefix("track."): x for n, x in p.items() if n.startswith("track.")}
        wire = lambda s: track.position(s - own["begin"], own["length"], e, own)
    u = ca.SX.sym("u", len(row.controls))
    return Symbols(t, q, v, split_q[-1], split_v[-1], u, p, tuple(frames), wire), n


def _offsets(parts: list[int]) -> list[int]:
    total = [0]
    for size in parts:
        total.append(total[-1] + size)
    return total
