"""A short design for tests."""

from panhead.explore.designs.design_description import Design
from panhead.explore.designs.problem import DesignProblem, problem_of
from panhead.files import parse

SHORT = {  # four spans, coarse
    "speed": 60.0,
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 4, "dropper_count": 5}]}]},
    "numerics": {"step": 2e-3},
    "journey": {"judged_from": 90.0, "judged_to": 120.0, "stop": 130.0, "ramp": 0.3, "run_in": 10.0},
}
DROPPERS = {"parameter": "dropper.length", "by": ["-10 mm", "10 mm"], "tie": ["spans alike"]}


def asked(change=(DROPPERS,), want=({"of": "deviation"},), runs=(), **more) -> DesignProblem:
    runs = list(runs) or [{"run": "en50318-300", "name": "fast", "changes": SHORT}]
    raw = {"runs": runs, "change": list(change), "want": list(want)} | more
    return problem_of("trial", parse.build(Design, raw, source="trial"))
