"""A parcel falls under a drag law of one's own, its parachute unfolds below 60 m.

The law is a plain Python function of time, position and velocity. One event records where the parachute begins to
unfold, another ends the run on the ground. v∞ = √(m g / c) before and after.
"""

import numpy as np

import panhead as ph

#: Speed at which the parcel lands [m/s]: √(2 · 9.81 / 1.6) = 3.50.
EXPECTED = (3.49, 3.53)
CLOSED, OPEN = 0.02, 1.6  # c of F = c v² [kg/m]


def drag(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Drag force: quadratic, against the velocity; over 20 m the parachute unfolds."""
    c = CLOSED + (OPEN - CLOSED) * min(1.0, max(0.0, (60.0 - p[2]) / 20.0))
    return -c * np.sqrt(v @ v + 1e-12) * v


def main() -> float:
    """Fall from 200 m; the speed on the ground."""
    parcel = ph.bodies.PointMass(name="parcel", mass=2.0, position=(0.0, 0.0, 200.0))
    law = ph.PlainFunction(drag, outputs=3)
    air = ph.forces.FunctionPush(name="air", at=parcel.at(), law=law, account="dissipated")
    model = ph.Model(name="parcel", items=(parcel, air))
    opens = ph.Event(name="parachute", when=lambda s: s["parcel.z"] - 60.0)
    lands = ph.Event(name="ground", when=lambda s: s["parcel.z"], act=lambda s: ph.EventAction(stop=True))
    motion = model.simulate(
        duration=40.0, dt=0.02, keep=0.1, events=(opens, lands), sensors={"speed": lambda s: -s.rate("parcel.z")},
        method=ph.GeneralizedAlpha(),
    )  # fmt: skip
    for name, t in zip(motion["event_name"].values, motion["event_time"].values, strict=True):
        print(f"{name} at {t:.3f} s")
    return float(motion["speed"][-1])


if __name__ == "__main__":
    print(f"lands with {main():.3f} m/s")
