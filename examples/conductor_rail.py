"""Elasticity of an overhead conductor rail compared with a catenary.

A rail rests on springs every 10 m and carries no tension; its bending stiffness is that of an aluminium profile, 234
kN·m². At mid-span it is ten times stiffer than wires. By the three-moment equation, on rigid supports, the elasticity
at mid-span is l³/EI (1/48 − 3/64(3 + √3)) = 0.0467 mm/N.
"""

from dataclasses import replace

from panhead.railway.line import Span, TensionLength, elasticity, read_line, string

#: Elasticity of the rail at mid-span under 100 N [mm/N].
EXPECTED = (0.0467, 0.0482)


def with_spans(length: float) -> tuple[float, float, float]:
    """Elasticity at mid-span and at a support [mm/N], and the sag between supports [mm]."""
    rail = read_line("conductor-rail")
    row = TensionLength(name="R", spans=(Span(length=length, count=20),))
    strung = string(replace(rail, tension_lengths=(row,)))
    curve = elasticity(strung, points=21, around=6)
    z = strung.spans(strung.layout.pieces[0])[10].shape["contact"][:, 0]
    return 1e3 * curve.value[10], 1e3 * curve.value[0], 1e3 * (rail.contact_height - z.min())


def main() -> float:
    """Elasticity of the rail at mid-span of 10 m [mm/N]."""
    wires = elasticity(string(read_line("en50318-2002")))
    print(f"EN 50318 line: {1e3 * wires.maximum:.3f} mm/N at most, {1e3 * wires.minimum:.3f} at least")
    found = {length: with_spans(length) for length in (8.0, 10.0, 12.0)}
    for length, (middle, support, sag) in found.items():
        print(f"rail, supports {length:g} m apart: {middle:.4f} mm/N, {support:.4f} at a support, sag {sag:.1f} mm")
    return found[10.0][0]


if __name__ == "__main__":
    print(main())
