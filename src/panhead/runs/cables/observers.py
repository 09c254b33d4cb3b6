"""Observers of a cable run: curves at every step, samples of line, droppers and energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from panhead.engine.machine_code import SampledCode
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.model_dataset import accounts
from panhead.engine.multibody.model_outputs import Observer
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Marker, Symbols
from panhead.railway.pantograph.pantograph_protocol import HeadSuspension
from panhead.railway.vehicle.vehicle_ride import rail_multipliers
from panhead.runs.cables.cables_assembly import CableSystem
from panhead.runs.cables.head_laws import Measurements

#: curve → unit, words; each has the dimensions (pantograph, time)
CONTACT_CURVES = {
    "contact_force": ("N", "contact force, unfiltered"),
    "contact_z": ("m", "height of the contact wire at the contact point"),
    "head_z": ("m", "height of the head"),
}
HEAD_CURVES = {
    "force_estimate": ("N", "contact force by the lumped estimate"),
    "force_by_balance": ("N", "contact force by the head's balance along its guide"),
    "plunger_z": ("m", "height of the plunger"),
    "head_rate": ("m/s", "speed of the pan-head upwards"),
    "plunger_rate": ("m/s", "speed of the plunger upwards"),
    "actuator_force": ("N", "force of the actuator on the pan-head, upwards"),
    "actuator_power": ("W", "power of the actuator"),
}
#: curve → unit, words; each has the dimension (time)
WHOLE_CURVES = {
    "work_drivers": ("J", "work of uplift and train"),
    "work_controls": ("J", "work of the actuator"),
    "dissipated": ("J", "energy dissipated"),
    "constraint_residual": ("m", "largest constraint residual"),
}


class Motion3(NamedTuple):
    """Position over time, each (3, n)."""

    p: np.ndarray  #: [m]
    v: np.ndarray  #: [m/s]
    a: np.ndarray  #: [m/s²]
    up: np.ndarray  #: its z axis


@final
class Places:
    """Positions, velocities and directions of the markers of a system."""

    def __init__(self, system: MultibodySystem, markers: Sequence[Marker]) -> None:
        names = sorted({n for m in markers for n in m.coordinates})
        self._at, self._count = np.array([system.place(n) for n in names], int), len(markers)
        t = ca.SX.sym("t")
        q, v, a = (ca.SX.sym(x, len(names)) for x in "qva")
        found: list[Any] = []
        for marker in markers:
            frame = _frame(marker, t, q, v, names)
            rate = ca.jtimes(frame.p, q, v) + ca.jacobian(frame.p, t)
            accelerated = ca.jtimes(rate, q, v) + ca.jtimes(rate, v, a) + ca.jacobian(rate, t)
            found.append(ca.vertcat(frame.p, rate, accelerated, frame.z))
        self._function = SampledCode([t, q, v, a], ca.SX(0, 1), [ca.vertcat(*found, ca.SX(0, 1))])

    def along(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[Motion3]:
        """t (n,), q, v, a (n, nq); one entry per marker."""
        rows = self._function([t[:, None], *(x[:, self._at] for x in (q, v, a))], np.zeros(0))
        table = rows.T.reshape(self._count, 4, 3, len(t))
        return [Motion3(*marker) for marker in table]


def _frame(marker: Marker, t: Any, q: Any, v: Any, names: list[str]) -> Any:
    at = [names.index(n) for n in marker.coordinates]
    p = {name: ca.SX(x) for name, x in marker.numbers.items()}
    return marker.frame(Symbols(t, q[at], v[at], q[at], v[at], ca.SX(0, 1), p, ()))


@final
class HeadObserver:
    """Extract output curves from every chunk of the run."""

    def __init__(self, whole: CableSystem) -> None:
        self.whole, self.system = whole, whole.system
        self.heads = [m.head for m in whole.mechanics]
        markers = [c.strip for c in whole.contacts]
        markers += [m for h in self.heads if h is not None for m in (h.head, h.plunger)]
        self.places = Places(self.system, markers)
        outputs = [] if whole.joint else [f"{c.name}.{n}" for c in whole.contacts for n in ("normal force", "depth")]
        outputs += [f"{name}.force" for h in self.heads if h is not None for name in h.springs]
        self.damped = any(item.name == "damper" for item in whole.model.items)
        outputs += ["damper.force"] if self.damped else []
        self.outputs = Observer(self.system, outputs)
        self.roof = None if whole.roof is None else Places(self.system, (whole.roof,))
        self.axles = _axles(whole)  # coordinates of the vehicle's wheelsets
        self.rails = _rails(whole)  # multipliers of wheels that are held on their rails
        self.columns = contact_columns(whole)
        catenary, place = whole.line.catenary, self.system.place
        self.droppers = Observer(self.system, [f"{d.name}.force" for d in catenary.droppers])
        self.supports = np.array([place(s.height) for s in catenary.supports])
        self.support_rest = np.array([whole.line.places[s.height] for s in catenary.supports])
        self.wires = {
            role: np.array([place(f"{role}.{k}z") for k in range(len(catenary.cables[role].nodes))])
            for role in ("contact", "messenger")
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of ``curves``: contacts, then heads if every pantograph has one, then the whole."""
        heads = () if None in self.heads else tuple(HEAD_CURVES)
        return (*CONTACT_CURVES, *heads, *WHOLE_CURVES)

    def curves(self, m: Trajectory) -> np.ndarray:
        """Curves of a chunk, (n, width): for every name one column per pantograph, or one for all of them."""
        motion = self.places.along(m.t, m.q, m.v, m.a)
        shown = dict(zip(self.outputs.names, self.outputs.along(m).T, strict=True))
        contacts = [self._contact(k, m, motion, shown) for k in range(len(self.heads))]
        found = [np.array([c[name] for c in contacts]) for name in CONTACT_CURVES]
        if None not in self.heads:
            both = motion[len(self.whole.contacts) :]
            heads = [
                self._head(h, m, both[2 * k : 2 * k + 2], shown) for k, h in enumerate(self.heads) if h is not None
            ]
            found += [np.array([h[name] for h in heads]) for name in HEAD_CURVES]
        worst = np.abs(m.g).max(axis=1) if m.g.shape[1] else np.zeros(len(m.t))
        return np.concatenate([*found, m.work.T, worst[None]]).T

    def _contact(
        self, k: int, m: Trajectory, motion: Sequence[Motion3], shown: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        mine = [i for i, c in enumerate(self.whole.contacts) if c.pantograph == k]
        head = motion[mine[0]].p[2]
        if self.whole.joint:
            force = np.sum([joint_force(m.lam[:, self.columns[i]]) for i in mine], axis=0)
            return {"contact_force": force, "contact_z": head, "head_z": self._head_z(k, motion, head)}
        names = [self.whole.contacts[i].name for i in mine]
        force = np.sum([shown[f"{name}.normal force"] for name in names], axis=0)
        wire = head - shown[f"{names[0]}.depth"]
        return {"contact_force": force, "contact_z": wire, "head_z": self._head_z(k, motion, head)}

    def _head_z(self, k: int, motion: Sequence[Motion3], strip: np.ndarray) -> np.ndarray:
        """Height of the middle of the pan-head, or of the strip if there is none."""
        if None in self.heads:
            return strip
        return motion[len(self.whole.contacts) + 2 * k].p[2]

    def _head(
        self, of: HeadSuspension, m: Trajectory, both: Sequence[Motion3], shown: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Force balances of the pan-head: by heights alone, as in [Pappalardo16, eq. (27)], and along its guide."""
        head, plunger = both
        guide, g = plunger.up, 0.0 if of.carried else self.whole.model.gravity[2]
        along = lambda x: (x * guide).sum(axis=0)
        rate = along(head.v) - along(plunger.v)
        u = m.u[:, 0].copy() if m.u.shape[1] else np.zeros(len(m.t))
        if self.damped:
            u += shown["damper.force"]
        spring = of.stiffness * (head.p[2] - plunger.p[2] - of.length)
        spring += of.damping * (head.v[2] - plunger.v[2])
        pull = np.sum([shown[f"{name}.force"] for name in of.springs], axis=0)
        balance = u - of.mass * (along(head.a) - g * guide[2]) - pull
        return {
            "force_estimate": u - of.mass * (head.a[2] - g) - spring,
            "force_by_balance": balance / guide[2],
            "plunger_z": plunger.p[2],
            "head_rate": head.v[2],
            "plunger_rate": plunger.v[2],
            "actuator_force": u,
            "actuator_power": u * rate,
        }

    def measured(self, t: float, q: np.ndarray, v: np.ndarray, force: float) -> Measurements:
        """Measurements for a controller of the first pan-head."""
        now = np.array([t]), q[None], v[None], np.zeros((1, len(q)))
        motion = self.places.along(*now)
        head, plunger = motion[len(self.whole.contacts) : len(self.whole.contacts) + 2]
        return Measurements(
            head=float(head.p[2, 0]),
            plunger=float(plunger.p[2, 0]),
            head_rate=float(head.v[2, 0]),
            plunger_rate=float(plunger.v[2, 0]),
            force=force,
            x=float(motion[0].p[0, 0]),
        )

    def energies(self, m: Trajectory) -> np.ndarray:
        """T and V [J] at the end of the chunk, (2,)."""
        last = Trajectory(
            t=m.t[-1:], q=m.q[-1:], v=m.v[-1:], a=m.a[-1:], lam=m.lam[-1:], u=m.u[-1:],
            work=m.work[-1:], g=m.g[-1:], g_dot=m.g_dot[-1:],
        )  # fmt: skip
        return np.asarray(accounts(self.system, last)[0, :2])


def _axles(whole: CableSystem) -> np.ndarray:
    sets = () if whole.standing is None else whole.standing.assembled.wheelsets
    return np.array([whole.system.place(n) for axle in sets for n in axle.whole().coordinates], dtype=int)


def _rails(whole: CableSystem) -> np.ndarray:
    if whole.standing is None:
        return np.zeros(0, dtype=int)
    return rail_multipliers(whole.standing.assembled, whole.system).ravel()


def contact_columns(whole: CableSystem) -> list[list[int]]:
    """Indices of the multipliers of every contact."""
    names = whole.system.constraints
    return [
        [k for k, name in enumerate(names) if name.rpartition(".")[0] == contact.name] for contact in whole.contacts
    ]


def joint_force(lam: np.ndarray) -> np.ndarray:
    """Force normal to the wire, positive when strip and wire are pressed together [N]; lam (n, 2 or 3)."""
    pressed = lam[:, 2] if lam.shape[1] == 3 else -lam[:, 0]
    return np.asarray(np.copysign(np.linalg.norm(lam, axis=1), pressed))


def static_forces(whole: CableSystem) -> np.ndarray:
    """Contact force of every pantograph at standstill, (pantographs,) [N]; NaN if it never stood."""
    n = len(whole.mechanics)
    if np.isnan(whole.lam).any():
        return np.full(n, np.nan)
    out = np.zeros(n)
    columns = contact_columns(whole)
    normal = Observer(whole.system, [] if whole.joint else [f"{c.name}.normal force" for c in whole.contacts])
    pushed = normal.at(0.0, whole.start.q)
    for k, contact in enumerate(whole.contacts):
        lam = whole.lam[columns[k]][None]
        out[contact.pantograph] += joint_force(lam)[0] if whole.joint else pushed[k]
    return out
