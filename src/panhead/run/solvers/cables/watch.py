"""What is kept of a long run: a few curves at every step, the line's shape now and then, never all states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.bodies.measure import Line
from panhead.forces import SpringDamper, TensionOnly
from panhead.laws import dropper
from panhead.methods.trajectory import Trajectory
from panhead.multibody.recording import accounts
from panhead.pantograph.cx import MASSES
from panhead.roles import Marker
from panhead.run.solvers.cables.assembly import GRAVITY, Assembled, contact_force
from panhead.run.solvers.cables.laws import Measurements
from panhead.run.solvers.cables.wires import ONSET

#: curve → unit, words
CURVES = {
    "force": ("N", "contact force from the multipliers"),
    "estimate": ("N", "contact force by the lumped estimate"),
    "guided": ("N", "contact force by the head's balance along its guide"),
    "head": ("m", "height of the pan-head"),
    "plunger": ("m", "height of the plunger"),
    "head_rate": ("m/s", "speed of the pan-head upwards"),
    "plunger_rate": ("m/s", "speed of the plunger upwards"),
    "actuator": ("N", "force of the actuator on the pan-head, upwards"),
    "power": ("W", "power of the actuator"),
    "work_drivers": ("J", "work of uplift and carriage"),
    "work_controls": ("J", "work of the actuator"),
    "dissipated": ("J", "energy dissipated"),
    "residual": ("m", "largest constraint residual"),
}


@final
@dataclass(frozen=True, slots=True)
class Droppers:
    """Places of both ends' coordinates, and the law of each dropper."""

    names: tuple[str, ...]
    bottom: np.ndarray  # (n, 3)
    top: np.ndarray  # (n, 3)
    numbers: np.ndarray  # (n, 3): stiffness, damping, rest
    pulls_only: bool

    @staticmethod
    def of(made: Assembled) -> Droppers:
        system = made.system
        found: list[tuple[str, Marker, Marker]] = []
        for item in made.hung.catenary.items:
            if isinstance(item, SpringDamper | TensionOnly) and isinstance(item.along, Line):
                found.append((item.name, item.along.a, item.along.b))
        ends = lambda markers: np.array(
            [[system.place(c) for c in marker.coordinates[:3]] for marker in markers]
        )
        numbers = [
            [system.parameters[f"{f[0]}.{n}"] for n in ("stiffness", "damping", "rest")]
            for f in found
        ]
        pulls = any(isinstance(item, TensionOnly) for item in made.hung.catenary.items)
        bottom, top = ends([f[1] for f in found]), ends([f[2] for f in found])
        return Droppers(tuple(f[0] for f in found), bottom, top, np.array(numbers), pulls)

    def tensions(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """N of every dropper [N]."""
        apart = q[self.top] - q[self.bottom]
        length = np.linalg.norm(apart, axis=1)
        rate = (apart * (v[self.top] - v[self.bottom])).sum(axis=1) / length
        k, c, rest = self.numbers.T
        x = length - rest
        if not self.pulls_only:
            return k * x + c * rate
        return np.asarray(dropper.tension(k * x, c * rate * dropper.engagement(x, ONSET)))


@final
class Watch:
    """Takes from every piece of the run what is wanted."""

    def __init__(self, made: Assembled) -> None:
        self.made, self.system = made, made.system
        place = self.system.place
        self.head, self.plunger, self.x = (
            place(n) for n in ("pan-head.z", "plunger.z", "pan-head.x")
        )
        places = lambda body, names: np.array([place(f"{body}.{n}") for n in names])
        self.head_at, self.plunger_at = places("pan-head", "xyz"), places("plunger", "xyz")
        self.turn = places("plunger", ("e0", "e1", "e2", "e3"))
        cables = made.hung.catenary.cables
        self.nodes = {
            name: np.array([place(f"{name}.{k}z") for k in range(len(cables[name].nodes))])
            for name in cables
        }
        self.droppers = Droppers.of(made)
        self.bodies = np.array(
            [
                [place(f"{b}.{c}") for c in ("x", "z")]
                for b in MASSES
                if f"{b}.x" in self.system.coordinates
            ]
        )

    def curves(self, m: Trajectory) -> np.ndarray:
        """(len(CURVES), n) of the piece."""
        h, p = self.head, self.plunger
        head, plunger, head_rate, plunger_rate = m.q[:, h], m.q[:, p], m.v[:, h], m.v[:, p]
        guide = self._guide(m.q)
        along = lambda x: (x[:, self.head_at] * guide).sum(axis=1)
        rate = along(m.v) - (m.v[:, self.plunger_at] * guide).sum(axis=1)
        travel = along(m.q) - (m.q[:, self.plunger_at] * guide).sum(axis=1)
        u = self._actuator(m, rate)
        estimate = u - self._held_back(m.a[:, h], head - plunger, head_rate - plunger_rate, 1.0)
        guided = u - self._held_back(along(m.a), travel, rate, guide[:, 2])
        guided /= guide[:, 2]
        elastic = self.made.ride.contact == "elastic"
        force = guided if elastic else contact_force(self.system, m.lam)
        return np.stack(
            [
                force, estimate, guided, head, plunger, head_rate, plunger_rate,
                u, u * rate, *m.work.T, np.abs(m.g).max(axis=1),
            ]
        )  # fmt: skip

    def _held_back(
        self, a: np.ndarray, travel: np.ndarray, rate: np.ndarray, upright: np.ndarray | float
    ) -> np.ndarray:
        """What inertia, weight and suspension take of the actuator's force before it reaches the wire [N]."""
        cx = self.made.ride.pantograph
        spring = cx.head_stiffness * (travel - cx.head_length) + cx.head_damping * rate
        return np.asarray(MASSES["pan-head"] * (a - GRAVITY[2] * upright) + spring)

    def _guide(self, q: np.ndarray) -> np.ndarray:
        """The plunger's axis in space (n, 3), along which the head travels: the third column of A(e)."""
        e0, e1, e2, e3 = q[:, self.turn].T
        return np.column_stack(
            [2 * (e1 * e3 + e0 * e2), 2 * (e2 * e3 - e0 * e1), 1 - 2 * (e1**2 + e2**2)]
        )

    def _actuator(self, m: Trajectory, rate: np.ndarray) -> np.ndarray:
        """Damper of the model, and the control held since the last sample."""
        u = m.u[:, 0].copy() if m.u.shape[1] else np.zeros(len(m.t))
        ride = self.made.ride
        if ride.damper is not None:
            p = {
                n: self.system.parameters[f"damper.{n}"] for n in (*ride.damper.numbers(), "limit")
            }
            r = np.array([float(ride.damper.coefficient(t, p)) for t in m.t])
            u -= np.clip(r * rate, -p["limit"], p["limit"])
        return u

    def measured(self, q: np.ndarray, v: np.ndarray, force: float) -> Measurements:
        """What a controller sees."""
        h, p = self.head, self.plunger
        return Measurements(
            head=float(q[h]),
            plunger=float(q[p]),
            head_rate=float(v[h]),
            plunger_rate=float(v[p]),
            force=force,
            x=float(q[self.x]),
        )

    def shape(self, m: Trajectory) -> dict[str, np.ndarray]:
        """The line at the end of the piece."""
        last = Trajectory(
            t=m.t[-1:], q=m.q[-1:], v=m.v[-1:], a=m.a[-1:], lam=m.lam[-1:], u=m.u[-1:],
            work=m.work[-1:], g=m.g[-1:], g_dot=m.g_dot[-1:],
        )  # fmt: skip
        q, v = m.q[-1], m.v[-1]
        found = {f"{name} height": q[places] for name, places in self.nodes.items()}
        found["dropper force"] = self.droppers.tensions(q, v)
        found["bodies"] = q[self.bodies].ravel()
        found["energies"] = accounts(self.system, last)[0, :2]
        return found
