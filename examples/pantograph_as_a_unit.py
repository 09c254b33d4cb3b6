"""Export a pantograph as a functional mock-up unit and co-simulate it with a line."""

import tempfile
from pathlib import Path

import numpy as np

import panhead as ph
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.coupled.exchange_loop import couple
from panhead.runs.coupled.exchange_schemes import Iterated
from panhead.runs.fmi.exportable_units import LineUnit, PantographUnit
from panhead.runs.fmi.fmu_export import export
from panhead.runs.fmi.foreign_fmu import ForeignUnit
from panhead.runs.fmi.model_description import read_model_description

SPEED = 250 / 3.6
SECONDS = 0.3
EXPECTED = (0.0, 1e-9)  # largest difference of the contact force to both in one process [N]


def contact_force(line, pantograph):
    """The two codes, repeated in every millisecond until they agree [N]."""
    run = couple(line, pantograph, Iterated(), duration=SECONDS, exchange_step=1e-3)
    return run["contact_force"].values


def main():
    line = LineUnit(line=ph.read_line("en50318-2002"), speed=SPEED, start=100.0, element_length=2.0)
    wire = float(line.side().contact[0, 3])  # its height over the strip
    model = read_pantograph("en50318-2002")
    pantograph = PantographUnit(pantograph=model, speed=SPEED, strip=wire, ramp=0.1)
    here = contact_force(line.side(), pantograph.side())
    with tempfile.TemporaryDirectory() as folder:
        path = export(pantograph, Path(folder) / "pantograph.fmu", fmi="3.0")
        seen = read_model_description(path)  # runs nothing of it
        print(f"{seen.name}: {', '.join(v.name for v in seen.by_causality('output'))}")
        # loading runs native code of the unit's maker; this one we made ourselves
        with ForeignUnit(path, trust=True) as unit:
            there = contact_force(line.side(), unit)
    difference = float(np.abs(here - there).max())
    print(f"contact force up to {here.max():.1f} N; as a unit it differs by {difference:.1e} N")
    return difference


if __name__ == "__main__":
    main()
