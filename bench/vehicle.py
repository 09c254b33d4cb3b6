"""Coach of thirteen bodies with wheel–rail contact at 1 ms: processor time per simulated second."""

import time
from dataclasses import replace

import numpy as np
from timing import spread

from panhead.engine.jobs import Job
from panhead.engine.methods.simulate import simulate as march_system
from panhead.railway.vehicle import assemble, ride, stand
from panhead.runs import scenarios
from panhead.runs.cables.cables_assembly import resting_line
from panhead.runs.cables.cables_march import METHOD
from panhead.runs.cables.vehicle_assembly import assemble_train
from panhead.runs.description import Journey, Numerics, OnTrain
from panhead.runs.resolve import resolve
from panhead.runs.ride import ride_along, roof_of
from panhead.runs.simulate import simulate_one

DURATION, REPEATS = 5.0, 5


def measure() -> dict[str, object]:
    figures: dict[str, object] = {}
    for name in ("vehicle-straight", "vehicle-curve"):
        description = scenarios.read(name).description
        standing = stand(assemble(description.resolved(), description.track, at=description.start))
        run = lambda seconds, s=standing, v=description.speed: ride(s, speed=v, duration=seconds, dt=1e-3, keep=1e-2)
        run(0.1)
        seconds, last = [], None
        for _ in range(REPEATS):
            begin = time.process_time()
            last = run(DURATION)
            seconds.append(time.process_time() - begin)
        ratio = np.array(seconds) / DURATION
        figures[f"{name}, processor seconds per second"] = spread(ratio, unit=1.0)
        figures[f"{name}, times faster than real time"] = 1.0 / float(np.median(ratio))
        figures[f"{name}, Newton iterations a step"] = last.motion.notes["iterations"] / (DURATION / 1e-3)
        figures[f"{name}, unknowns"] = standing.system.nq + standing.system.nc
    return figures | _train() | _whole_train()


def _train() -> dict[str, object]:
    """Vehicle and a pantograph of two masses under the linear model of a line of 20 spans."""
    run = replace(scenarios.read("s1-train").description, variants=())
    journey = ride_along(resolve(run), run.vehicle, Job())
    duration = float(journey.motion.t[-1])
    roof, _ = roof_of(journey, run.vehicle.foot)
    simulate_one(run, roof=roof)
    begin = time.process_time()
    ride(journey.standing, speed=run.speed, duration=duration)
    vehicle = time.process_time() - begin
    begin = time.process_time()
    simulate_one(run, roof=roof)
    line = time.process_time() - begin
    return {
        "s1-train, vehicle, processor seconds per second": vehicle / duration,
        "s1-train, pantograph and linear line, processor seconds per second": line / duration,
        "s1-train, both, times faster than real time": duration / (vehicle + line),
    }


def _whole_train() -> dict[str, object]:
    """Vehicle, pantograph of six bodies and 20 spans of cables with elastic contact, in one system."""
    described = scenarios.read("s1-train").description
    run = replace(
        described,
        variants=(),
        solver="cables",
        droppers="bilateral",
        train=(OnTrain(pantograph="cx-six-bodies", changes={"moment": 163.0, "arm_damping": 2000.0}),),
        journey=Journey(start=17.5, duration=10.0, judged_from=17.5),
        numerics=Numerics(element_length=6.25),
    )
    resolved = resolve(run)
    train = assemble_train(resolved, run.vehicle, resting_line(resolved), None)
    march = lambda seconds: march_system(train.system, train.start, duration=seconds, dt=1e-3, keep=1e-2, method=METHOD)
    march(0.1)
    begin = time.process_time()
    march(DURATION)
    seconds = time.process_time() - begin
    return {
        "with cables, unknowns": train.system.nq + train.system.nc,
        "with cables, processor seconds per second": seconds / DURATION,
        "with cables, times faster than real time": DURATION / seconds,
    }
