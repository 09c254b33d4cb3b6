"""Find the dropper with the largest influence on σ by the gradient, and verify by changing it.

One gradient gives the derivative of σ by the length of every dropper, through stringing, slack droppers and the whole
run. The dropper with the largest one is then cut 2 mm shorter or longer, so that σ should fall, and the run repeated.
"""

import panhead as ph

#: Change of σ in a new run over the change that the gradient predicts [1]; 1 but for curvature over 2 mm.
EXPECTED = (0.85, 1.15)

CUT = 2e-3  # m
SHORT = {
    "speed": 70.0,
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 6, "dropper_count": 7}]}]},
    "journey": {"judged_from": 130.0, "judged_to": 180.0, "stop": 190.0, "ramp": 0.5, "run_in": 60.0},
}


def changed(span: int, dropper: int, error: float) -> ph.Run:
    """The run with one dropper too long by ``error``."""
    wrong = {"dropper_errors": [{"span": span, "dropper": dropper, "error": error}]}
    base = ph.read_run("en50318-300").variant(ph.Variant(name="short", changes=SHORT))
    return base.variant(ph.Variant(name="cut", changes={"line_changes": {"tension_lengths": {"0": wrong}}}))


def deviation(run: ph.Run) -> float:
    """σ of the contact force [N]."""
    return ph.run(run).criteria["deviation"].value


def main() -> float:
    found = ph.gradient(changed(1, 1, 0.0), of="deviation", wrt="dropper.length")
    slopes = found["dropper.length"].to_numpy()  # N/m
    worst = int(abs(slopes).argmax())
    name, slope = str(found["dropper.length.names"].to_numpy()[worst]), float(slopes[worst])
    error = -CUT if slope > 0 else CUT
    before, after = (deviation(changed(worst // 7 + 1, worst % 7 + 1, e)) for e in (0.0, error))
    print(f"{name}: {1e-3 * slope:+.3f} N for each millimetre longer")
    print(f"{1e3 * error:+.0f} mm: σ {before:.3f} → {after:.3f} N, predicted {before + slope * error:.3f} N")
    return (after - before) / (slope * error)


if __name__ == "__main__":
    main()
