"""Line and pantograph as two FMUs in co-simulation reproduce the run in which both are solved together.

Both are exported as C and need no Python. In every step the master looks for the contact force F at which the line
answers F to the height that the pantograph has under F: both units are put back to the beginning of the step and asked
again (secant). Two or three exchanges are enough, because both are linear between changes of contact and droppers.
"""

import tempfile
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi3 import FMU3Slave

import panhead as ph
from panhead.runs.c_export.native_fmu import write_fmu
from panhead.runs.c_export.rig_export import rig_sources, write_rig

EXPECTED = (0.0, 1e-6)  # N, largest difference from the run
H, STEPS = 1e-3, 1500


def unit(path: Path) -> tuple[FMU3Slave, dict[str, int]]:
    """An FMU, started, and the references of its variables."""
    about = read_model_description(str(path))
    name = about.coSimulation.modelIdentifier
    found = FMU3Slave(guid=about.guid, unzipDirectory=extract(str(path)), modelIdentifier=name, instanceName=name)
    found.instantiate()
    found.enterInitializationMode()
    found.exitInitializationMode()
    return found, {v.name: v.valueReference for v in about.modelVariables}


def main() -> float:
    run = ph.read_run("en50318-250")
    with tempfile.TemporaryDirectory() as folder:
        write_rig(rig_sources(run, ["motion", "pantograph"]), Path(folder))
        (line, of), (head, at) = (unit(write_fmu(Path(folder), name, "3.0")) for name in ("motion", "pantograph"))
    forces, force, slope = [], 0.0, -10.0
    for n in range(STEPS):
        before = line.getFMUState(), head.getFMUState()

        def residual(force: float, n: int = n, before=before) -> float:
            line.setFMUState(before[0])
            head.setFMUState(before[1])
            head.setFloat64([at["force_1"]], [force])
            head.doStep(n * H, H)
            line.setFloat64([of["height_1"], of["rate_1"]], head.getFloat64([at["height_1"], at["rate_1"]]))
            line.doStep(n * H, H)
            return line.getFloat64([of["force_1"]])[0] - force

        off = residual(force)
        while abs(off) > 1e-8:
            last, force = (force, off), force - off / slope
            off = residual(force)
            slope = (off - last[1]) / (force - last[0])
        forces.append(force)
        line.freeFMUState(before[0])
        head.freeFMUState(before[1])
    return float(np.abs(np.array(forces) - ph.run(run).contact_force.to_numpy()[0, :STEPS]).max())
