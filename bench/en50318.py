"""EN 50318 reference run: speed relative to real time and to a step written with SciPy's splu.

Ten spans, 1 m elements, 1 ms steps, one core. The peer solves the same discrete problem with
``scipy.sparse.linalg.splu`` in a Python loop: one factor, dropper columns solved beforehand, one solve
for the step and one for the contact's column, the active set found by iteration.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from timing import interleaved, spread

from panhead.engine.jobs import Job
from panhead.runs import scenarios
from panhead.runs.linear.run_driver import drive
from panhead.runs.linear.session import start
from panhead.runs.resolve import resolve
from panhead.runs.streams import Streams


def measure() -> dict[str, object]:
    run = scenarios.read("en50318-300").description
    models = {"vertical": resolve(run), "lateral": resolve(replace(run, lateral=True))}
    first = perf_counter()
    forces = _contact(models["vertical"])
    cold = perf_counter() - first
    peer = _Peer(models["vertical"])
    apart = np.abs(peer.run() - forces).max()
    runs = {name: lambda m=m: _contact(m) for name, m in models.items()}
    runs |= {f"{name} set-up": lambda m=m: start(m) for name, m in models.items()}
    runs["splu"] = peer.run
    seconds = interleaved(runs, repeats=5)
    per = {"splu": seconds["splu"] / models["vertical"].steps}  # its matrices are made and factorised beforehand
    for name, m in models.items():
        per[name] = (seconds[name] - np.median(seconds[f"{name} set-up"])) / m.steps
    middle = {name: float(np.median(s)) for name, s in per.items()}
    whole = {name: m.steps * run.numerics.step / float(np.median(seconds[name])) for name, m in models.items()}
    h = run.numerics.step
    return {f"{name}, µs a step": spread(s, unit=1e-6) for name, s in per.items()} | {
        "unknowns, vertical": int(start(models["vertical"]).window.linear.active.sum()),
        "times real time, vertical": h / middle["vertical"],
        "times real time, lateral": h / middle["lateral"],
        "times real time with set-up, vertical": whole["vertical"],
        "times real time with set-up, lateral": whole["lateral"],
        "times faster than splu and a Python loop": middle["splu"] / middle["vertical"],
        "largest difference of contact force from splu's, N": float(apart),
        "first run in this process, s": cold,
    }


def _contact(model):
    """Contact force of a whole run in memory."""
    streams = Streams(None)
    _, failure = drive(model, streams, Job())
    assert failure is None
    return streams.table("contact").reshape(model.steps, -1, 5)[:, 0, 1]


class _Peer:
    """Peer: one step with SciPy."""

    def __init__(self, model):
        session = start(model)
        self.linear, self.train, self.h = session.window.linear, session.train, session.sc.h
        self.steps = model.steps
        self.track = session.track(model.steps)
        self.z0 = session.state.z[0].copy()
        L, d = self.linear, self.linear.droppers
        self.n, nm = L.ns * L.b, len(self.train.M)
        line = {name: self._sparse(getattr(L, f"{name}_diag"), getattr(L, f"{name}_off")) for name in "MCK"}
        self.D = np.zeros((len(d.station), self.n))
        at = d.station * L.b
        for i in range(len(at)):
            self.D[i, at[i] + d.dof_top[i]] += d.nz[i]
            self.D[i, at[i] + d.dof_bottom[i]] -= d.nz[i]
        D = scipy.sparse.csr_array(self.D)
        add = {"M": 0 * D.T @ D, "C": D.T @ (d.damping[:, None] * D), "K": D.T @ (d.stiffness[:, None] * D)}
        self.matrices = {
            name: scipy.sparse.csc_array(scipy.sparse.block_diag([line[name] + add[name], getattr(self.train, name)]))
            for name in "MCK"
        }
        self.nm, self.D = nm, np.hstack([self.D, np.zeros((len(at), nm))])
        self.D_sparse = scipy.sparse.csr_array(self.D)
        M, C, K = (self.matrices[name] for name in "MCK")
        self.lu = scipy.sparse.linalg.splu(scipy.sparse.csc_array(4 / self.h**2 * M + 2 / self.h * C + K))
        self.Z = self.lu.solve(np.ascontiguousarray(self.D.T))
        self.S = self.D @ self.Z

    @staticmethod
    def _sparse(diag, off):
        ns, b, _ = diag.shape
        index = np.arange(ns * b).reshape(ns, b)
        rows = [np.repeat(index, b, axis=1).ravel(), np.repeat(index[:-1], b, axis=1).ravel()]
        columns = [np.tile(index, (1, b)).ravel(), np.tile(index[1:], (1, b)).ravel()]
        upper = scipy.sparse.csr_array((off.ravel(), (rows[1], columns[1])), shape=(ns * b, ns * b))
        return scipy.sparse.csr_array((diag.ravel(), (rows[0], columns[0])), shape=(ns * b, ns * b)) + upper + upper.T

    def run(self):
        """Contact force after each step."""
        h, n, nm = self.h, self.n, self.nm
        M, C = self.matrices["M"], self.matrices["C"]
        d, path, head = self.linear.droppers, self.linear.paths[0], self.train.head[0]
        q, v, a = np.zeros((3, n + nm))
        q[n:] = self.z0
        forces = np.zeros(self.steps)
        slack = np.zeros(len(d.station), bool)
        for k in range(1, self.steps + 1):
            f = np.zeros(n + nm)
            f[n:] = self.track.uplift[k]
            rhs = f + M @ (4 / h**2 * q + 4 / h * v + a) + C @ (2 / h * q + v)
            free = self.lu.solve(rhs)
            b, z_wire = self._contact_row(self.track.position[k, 0], path)
            b[n + int(head["mass"])] = 1.0
            column = self.lu.solve(b)
            q_new, forces[k - 1], slack = self._settle(free, column, b, z_wire, q, v, a, head, slack)
            v_new = 2 / h * (q_new - q) - v
            a, v, q = 4 / h**2 * (q_new - q) - 4 / h * v - a, v_new, q_new
        return forces

    def _contact_row(self, x, path):
        """Row b, with b·q the rise of the head relative to the wire, and the static height of the wire there."""
        L = self.linear
        e = min(int(np.searchsorted(L.x, x, side="right")) - 1, L.ns - 2)
        ell = L.x[e + 1] - L.x[e]
        s = (x - L.x[e]) / ell
        N = np.array([1 - s * s * (3 - 2 * s), ell * s * (1 - s) ** 2, s * s * (3 - 2 * s), ell * s * s * (s - 1)])
        b = np.zeros(self.n + self.nm)
        for i, station in enumerate((e, e + 1)):
            at = station * L.b + path.dof_w
            b[at : at + 2] = -N[2 * i : 2 * i + 2]
        return b, N @ [path.z0[e], path.z0_x[e], path.z0[e + 1], path.z0_x[e + 1]]

    def _settle(self, free, column, b, z_wire, q, v, a, head, slack):
        """Active set of contact and slack droppers; r are the forces that cancel slack droppers."""
        d, k_c = self.linear.droppers, float(head["k"])
        N0, k_d = d.static_tension, d.stiffness
        touching = True
        for _ in range(30):
            i = np.flatnonzero(slack)
            m = len(i) + 1
            A, r = np.zeros((m, m)), np.zeros(m)
            Zi, Di = self.Z[:, i], self.D[i]
            # forces x: droppers' corrections (their whole tension change is cancelled), then the contact force
            A[:-1, :-1] = np.eye(m - 1) - k_d[i, None] * self.S[np.ix_(i, i)]
            A[:-1, -1] = k_d[i] * (Di @ column)
            r[:-1] = k_d[i] * (Di @ free) + N0[i]
            A[-1, :-1] = -k_c * (b @ Zi) if touching else 0.0
            A[-1, -1] = 1.0 + (k_c * (b @ column) if touching else 0.0)
            gap = b @ free + float(head["height"]) - z_wire
            r[-1] = k_c * gap if touching else 0.0
            x = np.linalg.solve(A, r)
            q_new = free + Zi @ x[:-1] - column * x[-1]
            tension = N0 + k_d * (self.D_sparse @ q_new)
            now = tension <= 0.0
            penetration = b @ q_new + float(head["height"]) - z_wire
            if (now == slack).all() and (penetration > 0) == touching:
                break
            slack, touching = now, penetration > 0
        return q_new, x[-1], slack
