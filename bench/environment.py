"""Control environment: steps per second on one core, single and in lanes, beside a plant in NumPy."""

import warnings
from time import process_time

import numpy as np
from timing import ratio, spread

from panhead.env import ControlTask, PantographEnv, PantographVectorEnv
from panhead.validation.gymnasium.numpy_plant import NumpyPlant

REPEATS, ACTIONS, PLAIN = 5, 100, 200
LANES = 8


def measure() -> dict[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = ControlTask(runs="en50318-300")
        one, many, plain = PantographEnv(task), PantographVectorEnv(LANES, task), NumpyPlant()
        one.reset(seed=1)
        many.reset(seed=1)
        each = one.episode.prepared.schedule.each
        for _ in range(2500):  # the plant in NumPy starts at rest: to the same place of the line
            plain.step()
        single, lanes, numpy = [], [], []
        for k in range(REPEATS + 1):
            one.reset(seed=1)
            begin = process_time()
            for _ in range(ACTIONS):
                one.step(np.zeros(1))
            first = process_time()
            for _ in range(ACTIONS // LANES):
                many.step(np.zeros((LANES, 1)))
            second = process_time()
            for _ in range(PLAIN):
                plain.step()
            third = process_time()
            if k:  # the first compiles
                single.append((first - begin) / ACTIONS)
                lanes.append((second - first) / (ACTIONS // LANES * LANES))
                numpy.append((third - second) / PLAIN * each)
    return {
        "single, environment steps a second": 1.0 / float(np.median(single)),
        f"{LANES} lanes, environment steps a second": 1.0 / float(np.median(lanes)),
        "NumPy, environment steps a second": 1.0 / float(np.median(numpy)),
        f"single, µs an environment step of {each} time steps": spread(np.array(single), unit=1e-6),
        "lanes, µs an environment step": spread(np.array(lanes), unit=1e-6),
        "single, times faster than NumPy": ratio(numpy, single),
        "lanes, times faster than NumPy": ratio(numpy, lanes),
    }
