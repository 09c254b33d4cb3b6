"""Run a scenario of the kind ``factorized_kind``: both forms side by side as one dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from panhead.engine.factorized.causality import FORMS, FactorizedModel, Scheme
from panhead.engine.factorized.noise import Sine, sample, whole_periods
from panhead.engine.jobs import Job
from panhead.engine.symbolic.mechanism import Mechanism

if TYPE_CHECKING:
    import xarray as xr


def torques(model: FactorizedModel, t: np.ndarray, first: np.ndarray, last: np.ndarray) -> xr.Dataset:
    """Derivative causality: torques of a given motion by both forms, and the motion they make."""
    import xarray as xr

    q, v, a = minimum_jerk(t, first, last)
    torques = np.stack([model.torques(q, v, a, form=form) for form in FORMS])
    dims = ("time", "coordinate")
    variables: dict[str, Any] = {
        "q": (dims, q, {"long_name": "given motion"}),
        "v": (dims, v),
        "a": (dims, a),
        "torque": (("form", *dims), torques, {"long_name": "generalised forces of the motion"}),
        "coordinate_units": ("coordinate", list(model.mechanism.units)),
    }
    if _one_actuator_each(model):
        returned, _ = model.march(t, q[0], v[0], u=torques[0])
        variables["returned"] = (dims, returned, {"long_name": "motion the torques make"})
    _add_outline(model.mechanism, t, q, variables)
    names = [c.name() for c in model.mechanism.coordinates]
    time = ("time", t, {"units": "s", "long_name": "time"})
    return xr.Dataset(variables, {"time": time, "coordinate": names, "form": list(FORMS)}, _graph(model))


def _graph(model: FactorizedModel) -> dict[str, Any]:
    """Power-oriented graphs of the mechanism, as an attribute."""
    from panhead.desk.drawing.power_graph import PowerGraph

    names = [c.name() for c in model.mechanism.coordinates]
    return {"power_graph": PowerGraph.of(model.expressions, names, model.external).as_json()}


def minimum_jerk(t: np.ndarray, first: np.ndarray, last: np.ndarray) -> tuple[Any, Any, Any]:
    """Positions, rates and accelerations of minimum-jerk moves, each (n, nq)."""
    T, way = t[-1], last - first
    tau = (t / T)[:, None]
    q = first + way * (10 * tau**3 - 15 * tau**4 + 6 * tau**5)
    v = way * (30 * tau**2 - 60 * tau**3 + 30 * tau**4) / T
    return q, v, way * (60 * tau - 180 * tau**2 + 120 * tau**3) / T**2


def _one_actuator_each(model: FactorizedModel) -> bool:
    """True if control i acts on coordinate i only, so that torques can be fed back."""
    e = model.expressions
    B = ca.jacobian(e.Q_e, e.u)
    return B.shape == (e.q.numel(), e.q.numel()) and bool(
        ca.SX.is_constant(B) and np.array_equal(np.array(ca.DM(B)), np.eye(e.q.numel()))
    )


def motions(
    model: FactorizedModel,
    t: np.ndarray,
    start: tuple[np.ndarray, np.ndarray],
    signals: list[Sine],
    scheme: Scheme,
    job: Job,
) -> xr.Dataset:
    """Integral causality: the motion from a start by both forms, noise-free and with noise."""
    import xarray as xr

    mechanism = model.mechanism
    clean, noisy = sample(signals, t) if signals else (np.zeros((len(t), 0)),) * 2
    cases = {"noise-free": clean} | ({"noisy": noisy} if any(s.noise_amplitude for s in signals) else {})
    runs = []
    for k, w in enumerate(cases.values()):
        lagrange = model.march_euler_lagrange(t, *start, w=w, scheme=scheme)
        runs.append((model.march(t, *start, w=w), lagrange))
        job.progress((k + 1) / len(cases), "")
    dims = ("case", "form", "time")
    q = np.array([[form[0] for form in run] for run in runs])
    v = np.array([[form[1] for form in run] for run in runs])
    variables: dict[str, Any] = {
        "q": ((*dims, "coordinate"), q),
        "v": ((*dims, "coordinate"), v),
        "w": (("case", "time", "signal"), np.array(list(cases.values()))),
        "kinetic": (dims, _along(model, [_kinetic(model)], t, q, v, cases)[0], {"units": "J"}),
        "coordinate_units": ("coordinate", list(mechanism.units)),
    }
    values = _along(model, [o.expression for o in mechanism.outputs], t, q, v, cases)
    for output, series in zip(mechanism.outputs, values, strict=True):
        variables[output.name] = (dims, series, {"units": output.unit, "long_name": output.about})
    _add_outline(mechanism, t, q[0, 0], variables)
    coordinates = {
        "time": ("time", t, {"units": "s", "long_name": "time"}),
        "case": list(cases),
        "form": list(FORMS),
        "signal": list(model.external),
        "coordinate": [c.name() for c in mechanism.coordinates],
    }
    attrs = _graph(model) | {
        "outputs": [o.name for o in mechanism.outputs],
        "scheme": scheme,
        "average": whole_periods(signals, t[1] - t[0]) if signals else 1,
    }
    return xr.Dataset(variables, coordinates, attrs)


def _kinetic(model: FactorizedModel) -> Any:
    y = model.expressions.T @ model.expressions.v
    return 0.5 * ca.dot(y, y)


def _along(
    model: FactorizedModel,
    expressions: list[Any],
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    cases: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Expressions along every case and form: (len(expressions), cases, forms, time)."""
    e = model.expressions
    function = ca.Function("along", [e.t, e.q, e.v, e.w, e.p], [ca.densify(ca.vertcat(*expressions))])
    p = np.tile(model.p[:, None], (1, len(t)))
    rows = [
        [np.array(function.map(len(t))(t[None, :], q[c, f].T, v[c, f].T, w.T, p)) for f in range(len(FORMS))]
        for c, w in enumerate(cases.values())
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _add_outline(mechanism: Mechanism, t: np.ndarray, q: np.ndarray, variables: dict[str, Any]) -> None:
    """The drawn points over time, each labelled with the part it belongs to."""
    if not mechanism.outline:
        return
    points = [(name, x, y) for name, part in mechanism.outline.items() for x, y in part]
    p = mechanism.parameters
    function = ca.Function(
        "outline",
        [ca.vertcat(*mechanism.coordinates), p.vector()],
        [ca.vertcat(*(x for _, x, _ in points)), ca.vertcat(*(y for _, _, y in points))],
    )
    x, y = function.map(len(t))(q.T, np.tile(np.array(list(p.values.values()))[:, None], (1, len(t))))
    variables["outline_x"] = (("time", "outline"), np.array(x).T, {"units": "m"})
    variables["outline_y"] = (("time", "outline"), np.array(y).T, {"units": "m"})
    variables["outline_part"] = ("outline", [name for name, _, _ in points])
