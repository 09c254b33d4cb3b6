"""The whole loop: line and pantograph, one of them or both as units, against both in one process."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from railway.line.builders import plain_line

from panhead.engine.jobs import Job
from panhead.errors import ModelError
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.coupled.coupled_options import Coupling
from panhead.runs.coupled.exchange_loop import couple
from panhead.runs.coupled.exchange_schemes import GaussSeidel, Iterated, Jacobi
from panhead.runs.coupled.participant import contact_ports, strip_ports
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.fmi.exportable_units import LineUnit, PantographUnit
from panhead.runs.fmi.fmu_export import export
from panhead.runs.fmi.fmu_ports import Channel
from panhead.runs.fmi.foreign_fmu import ForeignUnit
from panhead.runs.simulate import simulate_one

from .native import EVERY, Mass, needs_compiler
from .native import unit as native_unit

pytest.importorskip("fmpy")
pytest.importorskip("pythonfmu")
pytest.importorskip("pythonfmu3")

SPEED, DT = 70.0, 1e-3
LINE = LineUnit(line=plain_line(spans=4), speed=SPEED, start=70.0, element_length=2.0)
#: An ulp of a height, through the contact spring of 50 kN/m, in every step [N]; seen: nothing.
CLOSE = 1e-9
SCHEMES = {
    "jacobi": Jacobi(extrapolation="linear"),
    "gauss-seidel": GaussSeidel(extrapolation="linear"),
    "iterated": Iterated(),
}


@pytest.fixture(scope="module")
def pair():
    z = float(LINE.side().contact[0, 3])
    return LINE, PantographUnit(pantograph=read_pantograph("en50318-2002"), speed=SPEED, ramp=0.05, strip=z)


@pytest.fixture(scope="module")
def made(pair, tmp_path_factory):
    """Both as units of both versions."""
    folder, sides = tmp_path_factory.mktemp("loop"), ("line", "pantograph")
    return {
        version: [
            export(unit, folder / f"{name}{version[0]}.fmu", fmi=version)
            for unit, name in zip(pair, sides, strict=True)
        ]
        for version in ("2.0", "3.0")
    }


def forces(line, pantograph, scheme, steps=120):
    run = couple(line, pantograph, scheme, duration=steps * DT, exchange_step=DT)
    return run["contact_force"].values


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_units_in_the_loop_change_nothing(pair, made, scheme):
    """One side or the other as a unit of 3.0, or both, one of either version."""
    line, pantograph = pair
    expected = forces(line.side(), pantograph.side(), scheme)
    assert expected.max() > 50.0
    close = partial(np.testing.assert_allclose, desired=expected, rtol=0, atol=CLOSE)
    with ForeignUnit(made["3.0"][1], trust=True) as p:
        close(forces(line.side(), p, scheme))
    with ForeignUnit(made["3.0"][0], trust=True) as l:
        close(forces(l, pantograph.side(), scheme))
    for one, other in (("2.0", "3.0"), ("3.0", "2.0")):
        with ForeignUnit(made[one][0], trust=True) as l, ForeignUnit(made[other][1], trust=True, facing=l) as p:
            close(forces(l, p, scheme))


class MassUnderWire:
    """The mass of ``native`` as a pantograph: pressed down by the contact, its spring holds it at a level."""

    name, inputs, outputs = "mass", contact_ports(1), strip_ports(1)

    def __init__(self, level):
        self.mass, self.level, self.time = Mass(stiffness=5e3), level, 0.0

    def observe(self, u):
        return self.mass.x + [self.level, 0.0]

    def advance(self, dt, u0, u1):
        self.mass.advance(dt, -u0[0], -u1[0])
        self.time += dt
        return self.observe(u1)

    def copy_state(self):
        return self.time, self.mass.x.copy()

    def restore_copy(self, memory):
        self.time, self.mass.x = memory[0], memory[1].copy()


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@needs_compiler
def test_native_code_of_another_tool_under_our_line(tmp_path, scheme):
    """It counts its force upwards and its height from its own rest, and knows nothing of lateral places."""
    options = EVERY + ' canInterpolateInputs="true"'
    path = native_unit(tmp_path / "mass.fmu", "2.0", options=options)
    line = LINE.side()
    level = float(line.contact[0, 3]) + 1e-3  # a millimetre into the wire, were it not there
    expected = forces(LINE.side(), MassUnderWire(level), scheme)
    assert expected.max() > 20.0
    with ForeignUnit(
        path,
        trust=True,
        facing=line,
        inputs={"force_1": Channel(variable="F", factor=-1.0), "lateral_1": None, "lateral_rate_1": None},
        outputs={"height_1": Channel(variable="x", offset=level), "rate_1": "v"},
        parameters={"k": 5e3},
    ) as there:
        np.testing.assert_allclose(forces(line, there, scheme), expected, rtol=0, atol=CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("strips", [1, 2])
def test_the_pantograph_of_bodies_and_joints_as_a_unit(tmp_path, strips):
    behind = (0.0,) if strips == 1 else (0.0, 0.27)
    line = LineUnit(line=plain_line(spans=4), speed=SPEED, start=70.0, element_length=2.0, behind=behind)
    z = float(line.side().contact[0, 3])
    turns = "roll" if strips == 1 else "roll and pitch"
    chosen = {"static_force": 157.0, "height": 1.51, "strips": strips, "head_turns": turns}
    unit = PantographUnit(pantograph=read_pantograph("cx", chosen), strip=z, speed=SPEED, ramp=0.02)
    path = export(unit, tmp_path / "cx.fmu")
    for scheme in SCHEMES.values():
        expected = forces(line.side(), unit.side(), scheme, steps=60)
        assert expected.max() > 50.0
        with ForeignUnit(path, trust=True) as there:
            found = forces(line.side(), there, scheme, steps=60)
        np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_unit_is_the_pantograph_of_a_run(made, pair, tmp_path, version):
    """Named by its file it gives what the same pantograph gives of itself, and needs somebody's trust."""
    given = {
        "line": LINE.line,
        "speed": SPEED,
        "solver": "coupled",
        "numerics": Numerics(element_length=2.0, spectral_radius=1.0),
        "journey": Journey(start=70.0, duration=0.08, judged_from=71.0, judged_to=75.0, settled=False, ramp=0.05),
    }
    unit = Run(train=(OnTrain(pantograph=str(made[version][1])),), **given)
    with pytest.raises(ModelError, match="trust=True"):
        simulate_one(unit)
    found = simulate_one(unit, Job(trust=True))["contact_force"]
    side = couple(LINE.side(), pair[1].side(), Iterated(tolerance=1e-6), duration=0.08, exchange_step=DT)
    assert float(found.max()) > 20.0
    np.testing.assert_allclose(found[0], side["contact_force"], rtol=0, atol=1e-5)
    with pytest.raises(ModelError, match="external code; use solver 'coupled'"):
        simulate_one(replace(unit, solver="linear"))
    with pytest.raises(ModelError, match="remove `truth`"):
        simulate_one(replace(unit, coupling=Coupling(truth=0.01)), Job(trust=True))
