"""Run Exudyn in a separate process, on one core with one thread; its figures are returned as JSON.

Exudyn's module without range checks is the fast one and has to be asked for before the import, so
a run cannot share a process with anything that has imported Exudyn already.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
MARK = "figures: "


def run_alone(module: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Figures of ``python -m module`` with its keyword arguments, from a process of its own."""
    environment = os.environ | dict.fromkeys(THREADS, "1")
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(arguments)],
        cwd=Path(__file__).parents[1],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode or not lines:
        raise RuntimeError(f"{module} {arguments} failed:\n{done.stdout[-2000:]}{done.stderr}")
    return json.loads(lines[-1].removeprefix(MARK))


def answer(run: Callable[..., dict[str, Any]]) -> None:
    """Child process: call ``run`` with the given arguments on one core and print the figures."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    figures = run(**json.loads(sys.argv[1])) if len(sys.argv) > 1 else run()
    print(MARK + json.dumps(figures))


def exudyn() -> Any:
    """Exudyn's module without range checks."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    import exudyn as exu

    exu.config.suppressWarnings = True
    return exu


def quiet_settings(exu: Any, *, sparse: bool) -> Any:
    """No files, one thread, the symbolic factorisation kept from step to step."""
    settings = exu.SimulationSettings()
    kind = exu.LinearSolverType
    settings.linearSolver.solverType = kind.EigenSparse if sparse else kind.EXUdense
    settings.linearSolver.reuseAnalyzedPattern = True
    settings.parallel.numberOfThreads = 1
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    return settings


def fixed_steps(settings: Any, *, dt: float, steps: int, rtol: float, atol: float, rho: float):
    """Generalized-α with a constant step; the part of the settings to refine further."""
    march = settings.timeIntegration
    march.endTime, march.numberOfSteps = steps * dt, steps
    march.verboseMode = 0
    march.adaptiveStep = march.automaticStepSize = False
    march.newton.relativeTolerance, march.newton.absoluteTolerance = rtol, atol
    march.generalizedAlpha.spectralRadius = rho
    return march


def timed(mbs: Any, settings: Any, steps: int) -> dict[str, Any]:
    """Run and measure wall and processor time per step, Newton iterations per step."""
    wall, cpu = time.perf_counter(), time.process_time()
    mbs.SolveDynamic(settings, autoAssemble=False)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    count = mbs.sys["dynamicSolver"].it
    return {
        "ms_per_step": 1e3 * wall / steps,
        "cpu_ms_per_step": 1e3 * cpu / steps,
        "steps": steps,
        "newton_per_step": count.newtonStepsCount / steps,
        "jacobians": int(count.newtonJacobiCount),
    }


def motion_of_tip(
    exu: Any, mbs: Any, tip: int, *, duration: float, dt: float, rtol: float, rho: float, sparse: bool, modified: bool
) -> dict[str, Any]:
    """Run and measure with full or modified Newton steps; where a marker is at the end."""
    steps = round(duration / dt)
    settings = quiet_settings(exu, sparse=sparse)
    march = fixed_steps(settings, dt=dt, steps=steps, rtol=rtol, atol=1e-10, rho=rho)
    march.newton.useModifiedNewton = modified
    figures = timed(mbs, settings, steps)
    end = mbs.GetMarkerOutput(tip, exu.OutputVariableType.Position)
    return figures | {"tip": [float(x) for x in end], "exudyn": exu.GetVersionString()}
