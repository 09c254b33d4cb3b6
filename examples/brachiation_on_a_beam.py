"""Two arms swing along an elastic beam, hand over hand: a next step named by Lipinski (2023).

One hand holds the beam, the other swings to its next hold; where it meets the beam an event closes its grip and opens
the other. A motor at the elbow drives the arms. Its torque is found by the adjoint for every swing: the hand is to
arrive at its hold slowly, for little effort, so that the grip, a plastic impact, costs little energy.
"""

import numpy as np

from panhead.engine.methods.impacts import rates_after_closing
from panhead.engine.methods.trajectory import State
from panhead.runs.library.brachiation import (
    FIRST_HOLD,
    GAIN,
    LEAD,
    METHOD,
    REACH,
    REAR,
    STEP,
    SWING,
    hand,
    model,
    on,
    torques,
    touch,
)  # fmt: skip

#: Way of the leading hand in two swings [m].
EXPECTED = (1.95, 2.05)


def main() -> float:
    """Plan two swings, then run both in one motion; the way of the hand that leads."""
    first = model(LEAD, FIRST_HOLD)
    system = first.system()
    plan = torques(system, system.start, "rear", FIRST_HOLD + REACH, np.zeros(round(SWING / STEP) + 1))
    seen: dict[str, State] = {}
    events = (touch(REAR, LEAD, FIRST_HOLD + REACH / 2, seen), touch(LEAD, REAR, FIRST_HOLD + 1.5 * REACH, seen))
    first.simulate(duration=SWING + 0.1, dt=STEP, controls=lambda t: [on(plan, t)], events=events, method=METHOD)
    at = seen.pop("rear")
    second = model(REAR, float(hand("rear", lambda name: at.q[system.place(name)])[0])).system()
    start = State(q=at.q, v=rates_after_closing(second, at.t, at.q, at.v))
    later = torques(second, start, "lead", FIRST_HOLD + 2 * REACH, -plan)  # nearly the mirror image
    control = lambda t: [on(plan, t) if t < at.t else on(later, t - at.t)]
    motion = first.simulate(duration=at.t + SWING + 0.1, dt=STEP, controls=control, events=events, method=METHOD)
    for name, t, lost in zip(*(motion[f"event_{x}"].values for x in ("name", "time", "added_energy")), strict=True):
        print(f"{t:.3f} s: {name}, {-lost:.3f} J lost")
    print(f"torque at most {GAIN * max(abs(plan).max(), abs(later).max()):.1f} N·m")
    return float(hand("lead", lambda name: seen["lead"].q[system.place(name)])[0] - FIRST_HOLD)


if __name__ == "__main__":
    print(f"the leading hand has moved {main():.3f} m")
