"""The CX pantograph in the plane, two loops closed by hand, its moment from virtual work: nothing of the engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.optimize

from panhead.pantograph.linkage import Linkage, TableJoint, TableSpring

_G = 9.81  # [m/s²]
_SMALL = 1e-5  # of a difference quotient: its error is 1e-10 of the third derivative [rad]


def planar_moment(linkage: Linkage, height: float, force: float) -> float:
    """M = ∂(V + F z_head)/∂θ at the θ with z_head = height [N·m]; θ turns the lower arm, V holds weights and springs.

    The head's suspension of length s leans by the tilt φ: Σ k (s − rest) + (m g + F) cos φ = 0.
    """
    suspension = linkage.springs[1:]
    load = linkage.body("head").mass * _G + force

    def length(theta: float) -> float:
        tilt = _energy(linkage, theta, 0.0, force)[2]
        stiff = sum(row.stiffness for row in suspension)
        return float(sum(row.stiffness * row.length for row in suspension) - load * np.cos(tilt)) / stiff

    apart = lambda theta: _energy(linkage, theta, length(theta), force)[1] - height
    start = 2 * float(np.arcsin(linkage.body("lower arm").turn[1]))
    theta = float(scipy.optimize.newton(apart, start, x1=start + 0.01, tol=1e-13))
    s = length(theta)
    ahead, back = (_energy(linkage, theta + d, s, force)[0] for d in (_SMALL, -_SMALL))
    return (ahead - back) / (2 * _SMALL)


def planar_force(linkage: Linkage, height: float, moment: float) -> float:
    """F at which ``planar_moment`` is the moment [N]."""
    left = lambda force: planar_moment(linkage, height, force) - moment
    return float(scipy.optimize.brentq(left, 0.0, 500.0, xtol=1e-7))


def _energy(linkage: Linkage, theta: float, s: float, force: float) -> tuple[float, float, float]:
    """V + F z_head [J], z_head [m] and the tilt of the stabilisation arm [rad]."""
    joint = {row.number: row for row in linkage.joints}
    pivot = _a(joint[1])
    arm = pivot - _turn(theta) @ _b(joint[1])
    knee = arm + _turn(theta) @ _a(joint[2])
    # the lower link is a rod between the base and the rear of the top arm
    foot, rod = _a(joint[4]), _b(joint[5]) - _b(joint[4])
    rear = lambda angle: knee + _turn(angle) @ (_a(joint[5]) - _b(joint[2]))
    top_angle = _closed(rear, foot, rod, 2 * np.arcsin(linkage.body("top arm").turn[1]))
    top = knee - _turn(top_angle) @ _b(joint[2])
    lower_link = foot - _along(rod, rear(top_angle) - foot) @ _b(joint[4])
    # the top link is a rod between the lower arm and the stabilisation arm
    fork = top + _turn(top_angle) @ _a(joint[3])
    back = arm + _turn(theta) @ _a(joint[6])
    bar = _a(joint[7]) - _b(joint[6])
    low_end = lambda angle: fork + _turn(angle) @ _b(joint[7])
    tilt = _closed(low_end, back, bar, 0.0)
    top_link = back - _along(bar, low_end(tilt) - back) @ _b(joint[6])
    head = fork + _turn(tilt) @ np.array([0.0, s])
    heights = {
        "lower arm": arm[1],
        "top arm": top[1],
        "lower link": lower_link[1],
        "top link": top_link[1],
        "stabilisation arm": fork[1],
        "head": head[1],
    }
    weight = sum(linkage.body(name).mass * _G * z for name, z in heights.items())
    first, *suspension = linkage.springs
    ends = arm + _turn(theta) @ _plane(first.at_b) - _plane(first.at_a)
    elastic = _stretched(first, float(np.linalg.norm(ends)))
    elastic += sum(_stretched(row, s) for row in suspension)
    return float(weight + elastic + force * head[1]), float(head[1]), tilt


def _stretched(spring: TableSpring, length: float) -> float:
    return 0.5 * spring.stiffness * (length - spring.length) ** 2


def _turn(angle: float) -> np.ndarray:
    """Of (x, z) by an angle about y, (2, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s], [-s, c]])


def _along(rod: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The turn that brings ``rod`` to the direction ``wanted``, (2, 2)."""
    return _turn(float(np.arctan2(rod[1], rod[0]) - np.arctan2(wanted[1], wanted[0])))


def _closed(end: Callable[[float], np.ndarray], foot: np.ndarray, rod: np.ndarray, near: float) -> float:
    """The angle near a given one at which the end of a body is a rod's length from the rod's foot."""
    gap = lambda angle: float(np.linalg.norm(end(angle) - foot) - np.linalg.norm(rod))
    return float(scipy.optimize.newton(gap, near, x1=near + 0.01, tol=1e-13))


def _plane(point: tuple[float, float, float]) -> np.ndarray:
    return np.array([point[0], point[2]])


def _a(row: TableJoint) -> np.ndarray:
    return _plane(row.at_a)


def _b(row: TableJoint) -> np.ndarray:
    return _plane(row.at_b)
