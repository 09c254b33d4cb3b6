"""Gradient of σ by the parameters of a pantograph, with wires as cables of large deflection.

The adjoint covers every step, the sliding contact, slack droppers, static equilibrium and form finding. The mass with
the largest derivative is then made 20 g heavier, and the run repeated.
"""

import panhead as ph

#: Change of σ in a new run over the change that the gradient predicts [1]; 1 but for curvature over 20 g.
EXPECTED = (0.85, 1.15)

CHANGE = 0.02  # kg
CABLES = {
    "solver": "cables",
    "speed": 60.0,
    "line_changes": {
        "tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 3, "dropper_count": 6}]}],
        "wires": {"contact": {"axial_stiffness": 1.5e7}, "messenger": {"axial_stiffness": 1e7}},  # assumptions
    },
    "journey": {"start": 30.0, "judged_from": 55.0, "judged_to": 75.0, "stop": 80.0, "run_in": 0.0},
    "numerics": {"step": 2e-3, "element_length": 2.0},
}


def short(stages: dict[str, dict[str, float]]) -> ph.Run:
    """A short run of the reference pantograph with changes of its stages."""
    train = {"0": {"changes": {"stages": stages}}} if stages else {}
    changes = {**CABLES, "train": train} if train else CABLES
    return ph.read_run("en50318-300").variant(ph.Variant(name="short", changes=changes))


def deviation(run: ph.Run) -> float:
    """σ of the contact force [N]."""
    return ph.run(run).criteria["deviation"].value


def main() -> float:
    found = ph.gradient(short({}), of="deviation", wrt=["pantograph.mass", "dropper.length"])
    slopes = found["pantograph.mass"].to_numpy()  # N/kg
    stage = int(abs(slopes).argmax())
    mass = ph.read_pantograph("en50318-2002").stages[stage].mass
    before, after = (deviation(short({str(stage): {"mass": mass + x}})) for x in (0.0, CHANGE))
    worst = found["dropper.length"].to_numpy()
    name = str(found["dropper.length.names"].to_numpy()[int(abs(worst).argmax())])
    print(f"stage {stage + 1}: {slopes[stage]:+.3f} N/kg; {name}: {1e-3 * abs(worst).max():.2f} N for each millimetre")
    print(f"{CHANGE:+.2f} kg: σ {before:.4f} → {after:.4f} N, predicted {before + slopes[stage] * CHANGE:.4f} N")
    return (after - before) / (slopes[stage] * CHANGE)


if __name__ == "__main__":
    main()
