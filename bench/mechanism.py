"""10 000 Runge–Kutta steps of the planar pantograph: compiled, with CasADi's interpreter, and in plain NumPy.

All three march the same augmented right-hand side without stabilisation; NumPy's is written with the
closed-form terms of the pantograph, the way a script would be.
"""

import casadi as ca
import numpy as np
from timing import interleaved, spread

from panhead.engine.methods.formulations import Augmented, Unstabilised
from panhead.engine.methods.integrators import RungeKutta4
from panhead.engine.methods.simulate import simulate
from panhead.runs import scenarios
from panhead.runs.scenarios.motion_kind import start_of, system_of

STEPS, FEW, DT = 10_000, 300, 1e-3


def measure() -> dict[str, object]:
    description = scenarios.read("planar-pantograph").description
    system = system_of(description)
    start = start_of(description, system)
    x0 = np.concatenate([start.q, start.v])
    rhs = {"NumPy": _numpy_rhs(system.parameters), "CasADi interpreter": _casadi_rhs(system)}

    def ours(steps):
        return simulate(
            system,
            start,
            duration=steps * DT,
            dt=DT,
            keep=steps * DT,
            method=RungeKutta4(),
            formulation=Augmented(),
            stabilisation=Unstabilised(),
        )

    ends = {name: _march(f, x0, FEW) for name, f in rhs.items()}
    reference = ours(FEW)
    ends["compiled"] = np.concatenate([reference.q[-1], reference.v[-1]])
    apart = max(np.abs(end - ends["compiled"]).max() for end in ends.values())
    seconds = interleaved(
        {name: lambda f=f: _march(f, x0, FEW) for name, f in rhs.items()} | {"compiled": lambda: ours(STEPS)}, repeats=7
    )
    per = {name: s / (STEPS if name == "compiled" else FEW) for name, s in seconds.items()}
    figures: dict[str, object] = {f"{name}, µs a step": spread(s, unit=1e-6) for name, s in per.items()}
    middle = {name: float(np.median(s)) for name, s in per.items()}
    return figures | {
        "times faster than NumPy": middle["NumPy"] / middle["compiled"],
        "times faster than CasADi's interpreter": middle["CasADi interpreter"] / middle["compiled"],
        "CasADi's interpreter, times faster than NumPy": middle["NumPy"] / middle["CasADi interpreter"],
        "largest difference between the three after 0.3 s": float(apart),
    }


def _march(f, x, steps):
    """Classical Runge–Kutta method in a Python loop."""
    for n in range(steps):
        t = n * DT
        k1 = f(t, x)
        k2 = f(t + DT / 2, x + DT / 2 * k1)
        k3 = f(t + DT / 2, x + DT / 2 * k2)
        k4 = f(t + DT, x + DT * k3)
        x = x + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


def _casadi_rhs(system):
    """The derived right-hand side with the saddle matrix solved inside CasADi."""
    d = system.derivation
    nq, nc = d.q.numel(), d.C.numel()
    A = ca.vertcat(ca.horzcat(d.M, d.C_q.T), ca.horzcat(d.C_q, ca.SX(nc, nc)))
    z = ca.solve(A, ca.vertcat(ca.substitute(d.f, d.u, 0), d.Q_d))
    f = ca.Function("f", [d.t, ca.vertcat(d.q, d.v), d.p], [ca.vertcat(d.v, z[:nq])])
    return lambda t, x: np.array(f(t, x, system.p)).ravel()


def _numpy_rhs(p):
    """Right-hand side written as in a script: small arrays, body by body."""
    e = lambda a: np.array([np.cos(a), np.sin(a)])
    n = lambda a: np.array([-np.sin(a), np.cos(a)])
    L1, L2, L3, L4, beta = (p[k] for k in ("L1", "L2", "L3", "L4", "beta"))
    bars = [
        (p["m1"], p["m1"] * L1**2 / 3),
        (p["m2"], p["m2"] * L2**2 / 3),
        (p["m3"], p["m3"] * L3**2 / 3),
        (p["m4"], p["m4"] * L4**2 / 3),
        (p["m5"], 0.0),
    ]
    spin = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], float)

    def rhs(t, x):
        q, v = x[:4], x[4:]
        a1, a2, a3 = q[:3]
        # columns of the Jacobians of the five centres of mass, and their convective accelerations
        lengths = [
            (L1, 0, 0, 0),
            (2 * L1, L2, 0, 0),
            (2 * L1, 2 * L2, L3, 0),
            (2 * L1, 2 * L2, 0, L4),
            (2 * L1, 2 * L2, 0, 2 * L4),
        ]
        M, f = np.zeros((4, 4)), np.zeros(4)
        for k, ((m, inertia), (c1, c2, c3, c4)) in enumerate(zip(bars, lengths, strict=True)):
            J = np.zeros((2, 4))
            J[:, 0], J[:, 2] = c1 * n(a1), c3 * n(a3)
            J[:, 1] = c2 * n(a2) + c4 * n(a2 - beta)
            J[1, 3] = 1.0 if k == 4 else 0.0
            convective = -(
                c1 * e(a1) * v[0] ** 2 + c2 * e(a2) * v[1] ** 2 + c3 * e(a3) * v[2] ** 2 + c4 * e(a2 - beta) * v[1] ** 2
            )
            M += m * J.T @ J + inertia * np.outer(spin[k], spin[k])
            f -= m * J.T @ (convective + np.array([0.0, p["g"]]))
        arms = 2 * L1 * np.sin(a1) + 2 * L2 * np.sin(a2)
        cylinder = arms + (L3 + p["LE"]) * np.sin(a3) - p["HE"]
        along = np.array([2 * L1 * np.cos(a1), 2 * L2 * np.cos(a2), (L3 + p["LE"]) * np.cos(a3), 0.0])
        f += (p["p1"] - p["k1"] * cylinder - p["r1"] * along @ v) * along
        w1, w2 = 2 * np.pi * p["f1"], 2 * np.pi * p["f2"]
        s = p["s0"] + p["s1"] * np.sin(w1 * t) + p["s2"] * np.sin(w2 * t)
        s_dot = p["s1"] * w1 * np.cos(w1 * t) + p["s2"] * w2 * np.cos(w2 * t)
        y = arms + 2 * L4 * np.sin(a2 - beta) + q[3]
        head = np.array([2 * L1 * np.cos(a1), 2 * L2 * np.cos(a2) + 2 * L4 * np.cos(a2 - beta), 0.0, 1.0])
        f += (p["k3"] * (p["H0"] + s - y) + p["r3"] * (s_dot - head @ v)) * head
        f[3] -= p["k2"] * q[3] + p["r2"] * v[3]
        C_q = np.zeros((2, 4))
        C_q[:, 0], C_q[:, 1], C_q[:, 2] = 2 * L1 * n(a1), 2 * L2 * n(a2), 2 * L3 * n(a3)
        Q_d = 2 * L1 * e(a1) * v[0] ** 2 + 2 * L2 * e(a2) * v[1] ** 2 + 2 * L3 * e(a3) * v[2] ** 2
        A = np.block([[M, C_q.T], [C_q, np.zeros((2, 2))]])
        return np.concatenate([v, np.linalg.solve(A, np.concatenate([f, Q_d]))[:4]])

    return rhs
