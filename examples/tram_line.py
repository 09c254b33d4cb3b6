"""A tram's contact wire without messenger: how it sags, how it yields, and what crosses it.

The wire hangs from ropes across the street every 30 m. Between them it sags by μgL²/8H; pushed up at a rope it yields
with the rope, k = T(1/a + 1/b), and with its neighbours: as a string on springs, 1/√(k² + 4kH/L). Where the wire of
another track crosses 60 mm higher, the head touches both.
"""

import math
from dataclasses import replace

from panhead.railway.line import Line, Span, Support, TensionLength, Wire, Wires, elasticity, string
from panhead.railway.line.cross_span import CrossSpan
from panhead.railway.line.two_track_wires import TrackCrossing, wire_passage

#: How far the second wire is lifted where the two cross [mm].
EXPECTED = (15.0, 40.0)

TRAM = Line(
    name="tram",
    wires=Wires(contact=Wire(tension=10e3, material="copper", area=100e-6)),
    support=Support(encumbrance=0.5, stagger=0.2, cross_span=CrossSpan(tension=3e3, left=8.0, right=8.0)),
    tension_lengths=(TensionLength(name="T", spans=(Span(length=30.0, count=16),)),),
    contact_height=5.5,
    supply="1.5 kV DC",
)


def main() -> float:
    """Print sag and elasticities, then pass a head under the crossing; the lift of the second wire [mm]."""
    strung, wire, rope = string(TRAM), TRAM.wires.contact, TRAM.support.cross_span
    shape = strung.spans(strung.layout.pieces[0], element_length=0.1)[8].shape["contact"]
    sag = wire.mu * TRAM.gravity * 30.0**2 / (8.0 * wire.tension)
    print(f"sag {1e3 * (5.5 - shape[:, 0].min()):.0f} mm, μgL²/8H {1e3 * sag:.0f} mm")
    k, a = rope.stiffness, wire.tension / 30.0
    found = elasticity(strung, points=3, around=6).value
    print(f"yields {1e3 * found[0]:.2f} mm/N at a rope, by hand {1e3 / math.sqrt(k * k + 4 * k * a):.2f}")
    second = string(replace(TRAM, name="depot", contact_height=5.56))
    crossing = TrackCrossing(at=255.0, other_at=255.0, angle=math.radians(30.0))
    passage = wire_passage(strung, second, crossing, force=100.0)
    first, last = passage.touched
    print(f"the wires cross at {passage.crossing:.1f} m; the second is touched from {first:.1f} to {last:.1f} m")
    return 1e3 * float(passage.lift_second.max())


if __name__ == "__main__":
    print(f"the second wire is lifted by {main():.0f} mm")
