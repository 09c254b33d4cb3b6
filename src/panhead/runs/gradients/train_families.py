"""Parameter families of the train: pantographs, contact, journey, prescribed forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from panhead.engine.laws.hermite import shape_x
from panhead.railway.line.wire_elements import locate
from panhead.runs.gradients.line_gradient import beginnings, lowest_wire
from panhead.runs.gradients.run_cotangents import Named, Slopes
from panhead.runs.linear.head_law import directions
from panhead.runs.linear.kernel_arrays import elements_of


def stages(value: Callable[[Slopes, int, int], float]) -> Callable[[Slopes], Named]:
    """Family over stages: value(slopes, number of the mass, number of the one below or −1)."""

    def of(s: Slopes) -> Named:
        first = 0
        for name, p in zip(s.tape.session.model.names, s.tape.session.model.pantographs, strict=True):
            for k in range(len(p.stages)):
                below = first + k + 1 if k + 1 < len(p.stages) else -1
                yield f"{name}, stage {k + 1}", value(s, first + k, below)
            first += len(p.stages)

    return of


def between(matrix: np.ndarray, i: int, j: int) -> float:
    """∂J/∂ of a spring between masses i and j (−1: the roof)."""
    return float(matrix[i, i] if j < 0 else matrix[i, i] - matrix[i, j] - matrix[j, i] + matrix[j, j])


def stiffness(s: Slopes, i: int, j: int) -> float:
    """Derivative by a stage's stiffness; K also holds the masses where they start, by forces that fade during the
    ramp."""
    model = s.tape.session.model
    share = 1.0 - model.timetable.lifted(s.tape.times)
    rest = np.outer(share @ s.slope.uplift, s.tape.states[0].z[0])
    return between(s.slope.K_train + rest, i, j) + _on_roof(s, i, j, 0)


def damping(s: Slopes, i: int, j: int) -> float:
    """Derivative by a stage's damper, which also transmits roof motion."""
    return between(s.slope.C_train, i, j) + _on_roof(s, i, j, 1)


def _on_roof(s: Slopes, i: int, j: int, order: int) -> float:
    """∂J/∂ through k z + c ż of a moving roof under the lowest mass."""
    roof = s.tape.session.model.timetable.roof
    if roof is None or j >= 0:
        return 0.0
    return float(s.slope.uplift[:, i] @ roof.motion(s.tape.times)[order])


def heads(column: int, inner: Callable[[Slopes], float] = lambda s: 1.0) -> Callable[[Slopes], Named]:
    """Family of a column of ``Slope.head``, times its derivative by the parameter."""

    def of(s: Slopes) -> Named:
        yield from zip(s.tape.session.model.names, map(float, inner(s) * s.slope.head[:, column]), strict=True)

    return of


def hertzian(column: int, inner: Callable[[Slopes], float] = lambda s: 1.0) -> Callable[[Slopes], Named]:
    """Family of a Lankarani–Nikravesh contact; other contact laws have no such parameter."""
    every = heads(column, inner)
    return lambda s: every(s) if s.tape.session.model.run.contact.kind == "lankarani-nikravesh" else iter(())


def lift(power: int) -> Callable[[Slopes], Named]:
    """Uplift force on the lowest mass of each pantograph, times a power of the speed."""

    def of(s: Slopes) -> Named:
        model = s.tape.session.model
        last = np.cumsum([len(p.stages) for p in model.pantographs]) - 1
        yield from zip(model.names, map(float, (_uplift_gradient(s, power) @ s.slope.uplift)[last]), strict=True)

    return of


def stage_lift(power: int) -> Callable[[Slopes], Named]:
    """Uplift force on any mass, times a power of the speed."""
    return stages(lambda s, i, j: float(_uplift_gradient(s, power) @ s.slope.uplift[:, i]))


def _uplift_gradient(s: Slopes, power: int) -> np.ndarray:
    timetable, times = s.tape.session.model.timetable, s.tape.times
    return np.asarray(timetable.lifted(times) * timetable.speed(times) ** power)


def elements(kind: int, column: int, sign: float = 0.0) -> Callable[[Slopes], Named]:
    """Friction elements, or stops: those above (sign 1), below (−1) or both of a stage together (0)."""

    def of(s: Slopes) -> Named:
        first = 0
        for name, p in zip(s.tape.session.model.names, s.tape.session.model.pantographs, strict=True):
            found: dict[int, float] = {}
            for number, (direction, (is_kind, *_)) in enumerate(elements_of(p), first):
                stage = int(np.flatnonzero(direction)[0])
                if is_kind == kind and sign in (0.0, direction[stage]):
                    found[stage] = found.get(stage, 0.0) + float(s.slope.element[number, column])
            first += len(elements_of(p))
            for stage, value in found.items():
                yield f"{name}, stage {stage + 1}", value

    return of


def _starts(s: Slopes) -> np.ndarray:
    """∂J/∂ of the position of every pantograph at all times, including its initial height; (np,)."""
    model, linear = s.tape.session.model, s.tape.start.linear
    touch, _ = beginnings(s.tape, s.slope, s.first)
    found = s.slope.position.sum(axis=0)
    for p, x in enumerate(model.timetable.start - model.behind):
        path, e = linear.paths[lowest_wire(linear, float(x))], int(locate(x, linear.x))
        ell = linear.x[e + 1] - linear.x[e]
        nodes = path.z0[e], path.z0_x[e], path.z0[e + 1], path.z0_x[e + 1]
        found[p] += touch[p] * float(np.dot(shape_x((x - linear.x[e]) / ell, ell), nodes))
    return found


def spacing(s: Slopes) -> Named:
    """Distance between pantographs; a longer train starts later if its last pantograph starts half a span into the
    line."""
    model, places = s.tape.session.model, _starts(s)
    for p, name in enumerate(model.names[1:], 1):
        moved = places.sum() if model.run.journey.start is None and p == len(model.names) - 1 else 0.0
        yield name, float(moved - places[p])


def start(s: Slopes) -> Named:
    """Start position of the first pantograph, the others behind it."""
    yield "train", float(_starts(s).sum())


def speed(s: Slopes) -> Named:
    """Constant speed, or each speed of a table: journey, rate along the wire and aerodynamic uplift."""
    model, times = s.tape.session.model, s.tape.times
    table, now = model.timetable, model.timetable.speed(times)
    constant = np.concatenate([p.uplift(0.0) for p in model.pantographs])
    quadratic = np.concatenate([p.uplift(1.0) for p in model.pantographs]) - constant
    by_speed = s.slope.speed + (s.slope.uplift @ quadratic) * 2.0 * now * table.lifted(times)
    by_place = s.slope.position.sum(axis=1)
    units = np.ones((1, table.speeds.size)) if model.run.speed is not None else np.eye(table.speeds.size)
    for k, unit in enumerate(units):
        one = replace(table, speeds=unit, start=0.0)
        name = "train" if model.run.speed is not None else f"{table.times[k]:g} s"
        yield name, float(by_speed @ one.speed(times) + by_place @ one.position(times))


def gains(s: Slopes) -> Named:
    """Gains of a control law, shared by all pantographs: ∂J/∂C · ∂C/∂(gain)."""
    law = s.tape.model.run.control
    if law is not None and law.kind != "none":
        for gain, at in directions(law, s.tape.model.pantographs):
            yield gain, float((s.slope.C_train * at).sum())


def control(s: Slopes) -> Named:
    """Every force of every table of ``Run.pushes``."""
    model = s.tape.session.model
    for push in model.run.pushes:
        found = push.weights(s.tape.times).T @ s.slope.uplift[:, push.mass(model.pantographs)]
        for (t, _), value in zip(push.table, found, strict=True):
            yield f"{model.names[push.pantograph - 1]}, stage {push.stage}, {t:g} s", float(value)
