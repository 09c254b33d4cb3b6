"""The CX pantograph under a line of cables: a damper and a force feedback at the head, beside no control."""

import numpy as np

from panhead.pantograph.cx import CxPantograph
from panhead.run.solvers.cables.assembly import Ride, assembled
from panhead.run.solvers.cables.feedback import ForceFeedback
from panhead.run.solvers.cables.laws import Derivative
from panhead.run.solvers.cables.run import Sampled, ridden
from panhead.run.solvers.cables.wiring import Wiring

SECONDS = 0.5
EXPECTED = (0.2, 0.45)  # deviation with force feedback, as a share of that without control


def deviation(name, record):
    """Print and return σ of the contact force [N]."""
    force, u = record.curves["force"], np.abs(record.curves["actuator"]).max()
    print(f"{name:15s} {force.mean():6.1f} ± {force.std():4.1f} N, actuator {u:4.0f} N")
    return float(force.std())


def main():
    line = Wiring().hung()  # the simple line of 20 spans, level, free to rise at the masts
    own = {"moment": 163.0, "arm_damping": 2000.0, "x": 84.375}
    speed = 200 / 3.6

    plain = assembled(line, Ride(pantograph=CxPantograph(**own), speed=speed))
    without = deviation("no control", ridden(plain, duration=SECONDS))

    ride = Ride(pantograph=CxPantograph(**own), speed=speed, damper=Derivative())
    deviation("damper", ridden(assembled(line, ride), duration=SECONDS))

    ride = Ride(pantograph=CxPantograph(controlled=True, **own), speed=speed)
    control = Sampled(law=ForceFeedback(proportional=0.2, gain=1450.0))
    driven = ridden(assembled(line, ride), duration=SECONDS, control=control)
    return deviation("force feedback", driven) / without


if __name__ == "__main__":
    main()
