"""Compare two results: the effect of a tighter contact wire, and whether it exceeds the numerical error.

Each run is repeated on a coarser mesh, so every quantity has an error bar; a difference is significant if it is
larger than the sum of both bars.
"""

import tempfile
from pathlib import Path

import panhead as ph
from panhead.desk.evidence.result_comparison import compare_page, compare_results
from panhead.desk.evidence.result_reader import read_run_results
from panhead.desk.reports.render import html

#: What 25 kN instead of 20 kN change of the uplift at the supports at 250 km/h [mm]: a tighter wire rises less.
EXPECTED = (-20.0, -3.0)

SHORT = {"start": "30 m", "stop": "330 m", "judged_from": "180 m", "judged_to": "300 m", "run_in": "5 m"}


def main() -> float:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for tension in ("20 kN", "25 kN"):
            changes = {
                "speed": "250 km/h",
                "journey": SHORT,
                "line_changes": {"wires": {"contact": {"tension": tension}}},
            }
            out = Path(folder) / tension.replace(" ", "-")
            ph.run("en50318-300", changes=changes, out=out)
            paths.append(out / "result.nc")
        runs = read_run_results(paths)
        (Path(folder) / "compare.html").write_text(html(compare_page(runs)), encoding="utf-8")
    apart = compare_results(runs)[1].difference("uplift")
    assert apart is not None
    assert apart.significant  # more than both error bars
    return 1e3 * apart.value


if __name__ == "__main__":
    print(f"uplift changes by {main():.1f} mm")
