"""Inverse dynamics of the two-link robot over a million samples, on one core.

Factorized form and Euler–Lagrange form, both derived from the same description and compiled the same
way; the printed, hand-simplified M and N of the paper compiled likewise; Pinocchio's RNEA, called once
per sample from Python as its users do (the call itself costs more than the two joints).
"""

from typing import Any

import casadi as ca
import numpy as np
from timing import interleaved, spread

from panhead.engine.factorized.causality import FactorizedModel
from panhead.engine.machine_code import SampledCode
from panhead.runs.scenarios import shipped_models

SAMPLES = 1_000_000
REPEATS = 25
ALL = ("factorized", "Euler–Lagrange", "printed")  # measured over all samples
FEW = 100_000  # samples for what is slow; a tenth is enough to time one


def measure() -> dict[str, Any]:
    """Times per sample, ratios within this run, operation counts, largest differences."""
    model = FactorizedModel(shipped_models.mechanism("two-link-robot"))
    q, v, a = np.random.default_rng(0).uniform(-2, 2, (3, SAMPLES, 2))
    printed = _printed(model)
    runs: dict[str, Any] = {
        "factorized": lambda: model.torques(q, v, a),
        "Euler–Lagrange": lambda: model.torques(q, v, a, form="Euler–Lagrange"),
        "printed": lambda: printed(q, v, a),
    }
    few = slice(FEW)
    for name, expression in (
        ("factorized, interpreted", model.expressions.torque),
        ("Euler–Lagrange, interpreted", model.expressions.torque_euler_lagrange),
    ):
        runs[name] = _interpreted(model, expression, q[few], v[few], a[few])
    pinocchio = _pinocchio(model)
    if pinocchio is not None:
        runs["RNEA"] = lambda: pinocchio(q[few], v[few], a[few])
    seconds = interleaved(runs, repeats=REPEATS)
    per = {name: s / (SAMPLES if name in ALL else FEW) for name, s in seconds.items()}
    ratio = per["factorized"] / per["Euler–Lagrange"]
    quickest = {name: float(s.min()) for name, s in per.items()}  # least disturbed by other work
    saved = 1 - quickest["factorized"] / quickest["Euler–Lagrange"]
    saved_interpreted = 1 - quickest["factorized, interpreted"] / quickest["Euler–Lagrange, interpreted"]
    wanted = model.torques(q, v, a)
    figures = {
        "factorized, ns a sample": spread(per["factorized"], unit=1e-9),
        "Euler–Lagrange as derived, ns a sample": spread(per["Euler–Lagrange"], unit=1e-9),
        "Euler–Lagrange as printed, ns a sample": spread(per["printed"], unit=1e-9),
        "factorized over Euler–Lagrange as derived": spread(ratio),
        "saved by the factorized form, quickest runs, % (paper: 17.08)": 100 * saved,
        "the same, interpreted by CasADi, quickest runs, %": 100 * saved_interpreted,
        "factorized over Euler–Lagrange as printed": spread(per["factorized"] / per["printed"]),
        "operations, factorized": _operations(model.expressions.torque),
        "operations, Euler–Lagrange as derived": _operations(model.expressions.torque_euler_lagrange),
        "largest difference of the torques, N·m": float(
            max(np.abs(wanted - runs[name]()).max() for name in ("Euler–Lagrange", "printed"))
        ),
    }
    if pinocchio is None:
        return figures | {"Pinocchio": "not installed (pip install pin): not measured"}
    difference = np.abs(pinocchio(q[few], v[few], a[few]) - wanted[few]).max()
    return figures | {
        "Pinocchio RNEA called from Python, ns a sample": spread(per["RNEA"], unit=1e-9),
        "Pinocchio RNEA over factorized": spread(per["RNEA"] / per["factorized"]),
        "largest difference to RNEA, N·m": float(difference),
    }


def _operations(expression: Any) -> int:
    """Number of CasADi instructions after common-subexpression elimination."""
    flat = ca.cse(expression)
    return ca.Function("f", ca.symvar(flat), [flat]).n_instructions()


def _interpreted(model: FactorizedModel, expression: Any, *motion: np.ndarray) -> Any:
    """Evaluation in CasADi's virtual machine, comparable to Simulink."""
    e = model.expressions
    free = ca.substitute(expression, e.u, ca.SX.zeros(e.u.numel(), 1))
    function = ca.Function("f", [e.q, e.v, e.a, e.p], [ca.cse(free)]).map(len(motion[0]))
    inputs = [x.T for x in motion] + [np.tile(model.p[:, None], (1, len(motion[0])))]
    inputs = [ca.DM(x) for x in inputs]
    return lambda: function(*inputs)


def _printed(model: FactorizedModel) -> Any:
    """Torques τ = M ẍ + N ẋ with the simplified M and N of the paper, one sine and one cosine."""
    e = model.expressions
    p = dict(model.mechanism.parameters.symbols)
    beta, delta = p["m2"] * p["L1"] * p["r2"], p["I2"] + p["m2"] * p["r2"] ** 2
    alpha = p["I1"] + p["m1"] * p["r1"] ** 2 + p["m2"] * p["L1"] ** 2 + delta
    c, s = beta * ca.cos(e.q[1]), beta * ca.sin(e.q[1])
    M = ca.vertcat(ca.horzcat(alpha + 2 * c, delta + c), ca.horzcat(delta + c, delta))
    N = ca.vertcat(ca.horzcat(-s * e.v[1], -s * (e.v[0] + e.v[1])), ca.horzcat(s * e.v[0], 0))
    function = SampledCode([e.q, e.v, e.a], e.p, [M @ e.a + N @ e.v])
    return lambda q, v, a: function([q, v, a], model.p)


def _pinocchio(model: FactorizedModel) -> Any:
    """The same robot in Pinocchio, or None if it is not installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    p = model.mechanism.parameters.values
    robot, joint = pin.Model(), 0
    robot.gravity = pin.Motion.Zero()  # compensated, as in the paper
    for name, mass, centre, inertia, at in (
        ("first", p["m1"], p["r1"], p["I1"], 0.0),
        ("second", p["m2"], p["r2"], p["I2"], p["L1"]),
    ):
        place = pin.SE3(np.eye(3), np.array([at, 0.0, 0.0]))
        joint = robot.addJoint(joint, pin.JointModelRZ(), place, name)
        body = pin.Inertia(mass, np.array([centre, 0.0, 0.0]), np.diag([inertia, inertia, inertia]))
        robot.appendBodyToJoint(joint, body, pin.SE3.Identity())
    data = robot.createData()

    def torques(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.array([pin.rnea(robot, data, *row) for row in zip(q, v, a, strict=True)])

    return torques
