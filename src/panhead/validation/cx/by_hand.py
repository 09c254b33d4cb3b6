"""Planar CX pantograph without the engine: two closed loops solved by hand, moment from virtual work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.optimize

from panhead.railway.pantograph.linkage import Linkage, TableJoint, TableSpring

_G = 9.81  # [m/s²]
_SMALL = 1e-5  # of a difference quotient: its error is 1e-10 of the third derivative [rad]


def planar_moment(linkage: Linkage, height: float, force: float) -> float:
    """M = ∂(V + F z_head)/∂θ at the θ with z_head = height [N·m]; θ turns the lower arm, V holds weights and springs.

    The head's suspension of length s leans by the tilt φ: Σ k (s − rest) + (m g + F) cos φ = 0.
    """
    theta, s = _equilibrium(linkage, height, force)
    ahead, back = (_energy(linkage, theta + d, s, force)[0] for d in (_SMALL, -_SMALL))
    return (ahead - back) / (2 * _SMALL)


def _equilibrium(linkage: Linkage, height: float, force: float) -> tuple[float, float]:
    """θ [rad] and the length of the head's suspension [m] with which it stands at a height under a force."""
    suspension = linkage.springs[1:]
    load = linkage.body("head").mass * _G + force

    def length(theta: float) -> float:
        tilt = _energy(linkage, theta, 0.0, force)[2]
        stiff = sum(row.stiffness for row in suspension)
        return float(sum(row.stiffness * row.length for row in suspension) - load * np.cos(tilt)) / stiff

    apart = lambda theta: _energy(linkage, theta, length(theta), force)[1] - height
    start = 2 * float(np.arcsin(linkage.body("lower arm").turn[1]))
    theta = float(scipy.optimize.newton(apart, start, x1=start + 0.01, tol=1e-13))
    return theta, length(theta)


def impact_response(
    linkage: Linkage, height: float, force: float, directions: np.ndarray, left: float
) -> tuple[np.ndarray, np.ndarray]:
    """D = W M⁻¹ Wᵀ [1/kg] of the strip at a place ``left`` of its middle, along ``directions`` (k, 2) in x and z of the
    head, and these directions in the world.

    q = (θ, s, roll of the head about the guide); M from difference quotients of places and angles of all bodies.
    """
    theta, s = _equilibrium(linkage, height, force)
    by = lambda a, b: {
        name: (np.array([*a[name][0], a[name][1]]) - np.array([*b[name][0], b[name][1]])) / (2 * _SMALL) for name in a
    }
    by_theta = by(_poses(linkage, theta + _SMALL, s), _poses(linkage, theta - _SMALL, s))
    by_s = by(_poses(linkage, theta, s + _SMALL), _poses(linkage, theta, s - _SMALL))
    M = np.zeros((3, 3))
    for name in by_theta:
        body, J = linkage.body(name), np.column_stack([by_theta[name], by_s[name]])
        M[:2, :2] += J.T @ np.diag([body.mass, body.mass, body.inertia[1]]) @ J
    M[2, 2] = linkage.body("head").inertia[0]
    tilt = _poses(linkage, theta, s)["head"][1]
    rolled = left * _rotation(tilt) @ np.array([0.0, 1.0])
    along = directions @ _rotation(tilt).T
    W = along @ np.column_stack([by_theta["head"][:2], by_s["head"][:2], rolled])
    return np.asarray(W @ np.linalg.solve(M, W.T)), along


def planar_force(linkage: Linkage, height: float, moment: float) -> float:
    """Static force F for a given moment, by inverting ``planar_moment`` [N]."""
    left = lambda force: planar_moment(linkage, height, force) - moment
    return float(scipy.optimize.brentq(left, 0.0, 500.0, xtol=1e-7))


_Poses = dict[str, tuple[np.ndarray, float]]


def _energy(linkage: Linkage, theta: float, s: float, force: float) -> tuple[float, float, float]:
    """V + F z_head [J], z_head [m] and the tilt of the stabilisation arm [rad]."""
    poses = _poses(linkage, theta, s)
    (arm, _), (head, tilt) = poses["lower arm"], poses["head"]
    weight = sum(linkage.body(name).mass * _G * centre[1] for name, (centre, _) in poses.items())
    first, *suspension = linkage.springs
    ends = arm + _rotation(theta) @ _plane(first.at_b) - _plane(first.at_a)
    elastic = _spring_energy(first, float(np.linalg.norm(ends)))
    elastic += sum(_spring_energy(row, s) for row in suspension)
    return float(weight + elastic + force * head[1]), float(head[1]), tilt


def _poses(linkage: Linkage, theta: float, s: float) -> _Poses:
    """Centre (x, z) [m] and angle about y [rad] of every body."""
    joint = {row.number: row for row in linkage.joints}
    pivot = _a(joint[1])
    arm = pivot - _rotation(theta) @ _b(joint[1])
    knee = arm + _rotation(theta) @ _a(joint[2])
    # the lower link is a rod between the base and the rear of the top arm
    foot, rod = _a(joint[4]), _b(joint[5]) - _b(joint[4])
    rear = lambda angle: knee + _rotation(angle) @ (_a(joint[5]) - _b(joint[2]))
    top_angle = _close_loop(rear, foot, rod, 2 * np.arcsin(linkage.body("top arm").turn[1]))
    top = knee - _rotation(top_angle) @ _b(joint[2])
    low_angle = _angle_to(rod, rear(top_angle) - foot)
    # the top link is a rod between the lower arm and the stabilisation arm
    fork = top + _rotation(top_angle) @ _a(joint[3])
    back = arm + _rotation(theta) @ _a(joint[6])
    bar = _a(joint[7]) - _b(joint[6])
    low_end = lambda angle: fork + _rotation(angle) @ _b(joint[7])
    tilt = _close_loop(low_end, back, bar, 0.0)
    bar_angle = _angle_to(bar, low_end(tilt) - back)
    return {
        "lower arm": (arm, theta),
        "top arm": (top, top_angle),
        "lower link": (foot - _rotation(low_angle) @ _b(joint[4]), low_angle),
        "top link": (back - _rotation(bar_angle) @ _b(joint[6]), bar_angle),
        "stabilisation arm": (fork, tilt),
        "head": (fork + _rotation(tilt) @ np.array([0.0, s]), tilt),
    }


def _spring_energy(spring: TableSpring, length: float) -> float:
    return 0.5 * spring.stiffness * (length - spring.length) ** 2


def _rotation(angle: float) -> np.ndarray:
    """Rotation matrix of (x, z) by an angle about y, (2, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s], [-s, c]])


def _angle_to(rod: np.ndarray, wanted: np.ndarray) -> float:
    """Angle about y that turns ``rod`` into the direction ``wanted``."""
    return float(np.arctan2(rod[1], rod[0]) - np.arctan2(wanted[1], wanted[0]))


def _close_loop(end: Callable[[float], np.ndarray], foot: np.ndarray, rod: np.ndarray, near: float) -> float:
    """Loop closure: angle near a given one at which the end of a body is a rod's length from the rod's foot."""
    gap = lambda angle: float(np.linalg.norm(end(angle) - foot) - np.linalg.norm(rod))
    return float(scipy.optimize.newton(gap, near, x1=near + 0.01, tol=1e-13))


def _plane(point: tuple[float, float, float]) -> np.ndarray:
    return np.array([point[0], point[2]])


def _a(row: TableJoint) -> np.ndarray:
    return _plane(row.at_a)


def _b(row: TableJoint) -> np.ndarray:
    return _plane(row.at_b)
