"""Optimise dropper lengths by exact gradients, from a description to a new line file.

Droppers of equal spans change alike and symmetrically, by at most 10 mm. The standard deviation of the contact force
is minimised, the uplift must not increase. The new line is written, read back and run again on a finer mesh.
"""

import tempfile

import panhead as ph
from panhead.explore.designs.design_description import Change, Design, DesignRun, Want

#: σ after over σ before on the finer mesh [1].
EXPECTED = (0.6, 0.95)

SHORT = {
    "speed": 70.0,
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 5, "dropper_count": 5}]}]},
    "numerics": {"step": 2e-3},
    "journey": {"judged_from": 110.0, "judged_to": 160.0, "stop": 170.0, "ramp": 0.5, "run_in": 40.0},
}
DROPPERS = Design(
    runs=(DesignRun(run="en50318-300", name="252 km/h", changes=SHORT),),
    change=(Change(parameter="dropper.length", by=("-10 mm", "10 mm"), tie=("spans alike", "symmetric")),),
    want=(Want(of="deviation"), Want(of="uplift", no_worse=True)),
    starts=1,
    iterations=3,
)


def deviation(result: ph.Result) -> float:
    """σ of the contact force [N]."""
    return result.criteria["deviation"].value


def main() -> float:
    with tempfile.TemporaryDirectory() as folder:
        found = ph.design(DROPPERS, folder)
        for variable, x in zip(found.problem.variables, found.x * found.problem.scale, strict=True):
            print(f"{variable.title}: {1e3 * x:+.1f} mm")
        before, after = (deviation(found.passages[0].results[when, "finer"]) for when in ("before", "after"))
        print(f"σ {before:.2f} → {after:.2f} N on a finer mesh, from {found.files[0].name}")
    return after / before


if __name__ == "__main__":
    main()
