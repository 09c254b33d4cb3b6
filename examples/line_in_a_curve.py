"""A line in a canted curve, from −20 to +40 °C, and with ice and wind: what the masts carry, where the wire lies.

The wires of EN 50318:2002 in a left curve of 900 m with 90 mm of cant. Weights keep the tensions but for the friction
of their wheels; a steady wind blows against the curve.
"""

from dataclasses import replace

import numpy as np

from panhead.railway.line import Conditions, Tensioning, TrackPoint, Wind, line_in, read_line, string, wire_states

#: Radial load of the contact wire on a mast of the curve [N].
EXPECTED = (1320.0, 1350.0)

CURVE = (TrackPoint(at=0.0, radius=900.0, cant=0.09),)


def main() -> float:
    """Print loads and places in three kinds of weather; the radial load as erected."""
    plain = read_line("en50318-2002")
    support = replace(plain.support, stagger=0.0, messenger_stagger=0.0)
    line = replace(plain, support=support, alignment=CURVE, tensioning=Tensioning(friction=0.02))
    found, shapes = [], {}
    for words, weather in (
        ("as erected, 10 °C", Conditions()),
        ("-20 °C", Conditions(temperature=-20.0)),
        ("+40 °C", Conditions(temperature=40.0)),
        ("-5 °C, 5 mm of ice", Conditions(temperature=-5.0, ice=0.005)),
        ("26 m/s across", Conditions(wind=Wind(speed=-26.0))),
    ):
        strung = string(line_in(line, weather))
        span = strung.spans(strung.layout.pieces[0])[5]
        shapes[words] = span
        tension = {state.role: state.tension for state in wire_states(line, weather)}
        y, z = span.shape["contact"][:, 2], span.shape["contact"][:, 0]
        aside, down = -span.reaction["contact"][0, 1], span.reaction["messenger"][0, 0]
        print(
            f"{words:20s} {tension['contact'] / 1e3:5.2f} kN, mast {aside:6.0f} N aside and "
            f"{down:5.0f} N down, wire {1e3 * y.max():4.0f} mm inside, {1e3 * np.ptp(z):3.0f} mm of sag"
        )
        found.append(float(aside))
    return found[0]


if __name__ == "__main__":
    print(f"radial load {main():.0f} N")
