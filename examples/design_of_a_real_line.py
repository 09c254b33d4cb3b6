"""From the name of a real line's design to its uplift at line speed, and to the spans that its curves allow.

A design holds wires by name, tensions and rules, so that spans of any length are strung. CA-200/25kV is a Spanish line
for 200 km/h; its owner declares 46 mm of uplift at the steady arm with the upper limit of the mean force. Twelve spans
are enough for a first look; `panhead run CA-200/25kV` takes twenty.
"""

import panhead as ph
from panhead.desk.sheets.span_table import longest_spans
from panhead.railway.line.design_line import design_line, parse_spans
from panhead.railway.line.line_design import read_design

#: Uplift at the steady arm [mm]: the declared 46 mm within 15 %.
EXPECTED = (39.1, 52.9)


def main() -> float:
    design = read_design("CA-200/25kV")
    line = design_line(design, parse_spans("60 m x 12"))
    for row in longest_spans(line, wind=29.0, allowed=0.55, radii=[0, 1000, 600, 400]):
        print(f"radius {row.radius or float('inf'):6.0f} m: spans up to {row.span:.1f} m, decided by {row.decided_by}")
    run = ph.Run(
        line=line,
        train=(ph.OnTrain(pantograph="dsa380", mean_force="upper limit"),),
        speed=design.line_speed,
        numerics=ph.Numerics(repeat="none", explain="none"),
    )
    result = ph.run(run)
    uplift = 1e3 * next(c.value for c in result.criteria if c.key == "uplift")
    print(f"uplift at the steady arm {uplift:.1f} mm; declared 46 mm")
    return uplift


if __name__ == "__main__":
    main()
