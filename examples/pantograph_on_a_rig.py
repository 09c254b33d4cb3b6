"""A pantograph on a rig: the line in C at 1 kHz, an actuator and a delay between them, stable and unstable settings.

A pantograph of two masses stands for the real one. Its strip is measured with noise, the measurement comes late, the
line answers with a force, a hydraulic actuator (60 Hz) applies it. Delay acts like a negative damper: 1 and 3 ms add
work at the port, and telling the line how old the measurement is takes most of it away; with 30 ms the rig feeds
itself.
"""

import tempfile
from pathlib import Path

import numpy as np

import panhead as ph
from panhead.runs.c_export.compiled_rig import CompiledRig
from panhead.runs.c_export.rig_export import rig_sources, write_rig

#: Deviation of the force with 30 ms of delay over that with 3 ms, compensated.
EXPECTED = (4.0, 12.0)
H, PARTS = 1e-3, 20  # step of the rig [s], and steps of the pantograph in it
M, C, K = (7.2, 15.0), (10.0, 90.0), (4200.0, 50.0)  # head and frame of EN 50318


def on_the_rig(rig: CompiledRig, delay: int, *, told: bool) -> tuple[np.ndarray, float]:
    """Force of the actuator (steps,) with a delay of so many steps, and the work at the port."""
    rig.start()
    noise, h = np.random.default_rng(1), H / PARTS
    head, frame, v_head, v_frame, force, rate = 5.0, 5.0, 0.0, 0.0, 0.0, 0.0
    seen, applied, answer = [(5.0, 0.0)] * (delay + 1), [], {"port_work": [0.0]}
    for n in range(1, 2200):
        rig.timetable(n)
        height, speed = seen[-1 - delay]
        answer = rig.step(height=height, rate=speed, delay=delay * H if told else 0.0)
        lift, wanted = 120.0 * min(1.0, n * H), float(answer["force"][0])
        for _ in range(PARTS):  # actuator F̈ = ω² (F_line − F) − 1.4 ω Ḟ, then the masses
            rate += h * (377.0**2 * (wanted - force) - 1.4 * 377.0 * rate)
            force += h * rate
            link = K[0] * (head - frame) + C[0] * (v_head - v_frame)
            v_head -= h * (link + force) / M[0]
            v_frame += h * (link + lift - K[1] * (frame - 5.0) - C[1] * v_frame) / M[1]
            head, frame = head + h * v_head, frame + h * v_frame
        seen.append((head + 1e-5 * noise.standard_normal(), v_head + 1e-3 * noise.standard_normal()))
        applied.append(force)
    return np.array(applied), float(answer["port_work"][0])


def main() -> float:
    """Three delays, with and without compensation; how much the longest costs."""
    with tempfile.TemporaryDirectory() as folder:
        write_rig(rig_sources(ph.read_run("en50318-250"), ["motion"]), Path(folder))
        rig, spread = CompiledRig(Path(folder), "motion"), {}
        for delay, told in ((1, False), (3, False), (3, True), (30, False)):
            force, work = on_the_rig(rig, delay, told=told)
            spread[delay, told] = float(force[1200:].std())
            print(f"{delay:2} ms, compensated {told!s:5}: {spread[delay, told]:8.1f} N deviation, port {work:9.2f} J")
    return spread[30, False] / spread[3, True]


if __name__ == "__main__":
    main()
