"""The CX pantograph from its printed tables: assembled, calibrated, and pushed beside its middle.

The moment on the lower arm is found so that the head presses with 157 N, 1.51 m above the base. Then 50 N more act
0.2 m to the left for 0.1 s: the head sinks and rolls on its two springs.
"""

import numpy as np

import panhead as ph
from panhead.engine.methods.simulate import simulate
from panhead.railway.pantograph.linkage_closure import assembly
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_statics import equilibrium_at_height

#: How far the strip sinks 0.2 m to the left of its middle [mm].
EXPECTED = (15.0, 30.0)


def main() -> float:
    """Print how the tables close and what lifts the arms; the sinking in mm."""
    cx = LinkagePantograph()
    print(assembly(cx.model().system(), cx.tables))
    stand = equilibrium_at_height(cx, height=1.51, force=157.0)
    print(f"moment on the lower arm {stand.moment:.0f} N·m, printed {cx.tables.moment:g}")
    strip, u = stand.strips[0].on(stand.system), stand.u.copy()
    strip.push(u, 0.2, -50.0)
    motion = simulate(
        stand.system, stand.state, duration=0.1, dt=1e-3, method=ph.GeneralizedAlpha(), controls=lambda t: u
    )
    end = strip.touch(float(motion.t[-1]), motion.q[-1], motion.v[-1], 0.2)
    print(f"strip at y = 0.2 m: {end.height:.4f} m high, slope {np.degrees(end.slope):.2f}°")
    return float(1e3 * (1.51 - end.height))


if __name__ == "__main__":
    print(f"{main():.1f} mm")
