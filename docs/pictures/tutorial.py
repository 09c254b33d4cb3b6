"""Draw the first picture of the README out of a folder in which the tutorial was followed:

python docs/pictures/tutorial.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

from panhead.assess.filters import low_pass, sampling_step
from panhead.desk.drawing import figures
from panhead.desk.drawing.svg import document
from panhead.files import results

FIRST, LAST = 1980.0, 2220.0  # the judged part [m]


def main(folder: Path) -> Path:
    """The overlap in the curve from the side, and the contact force of both pantographs under it, with wind."""
    result = results.load(folder / "out" / "windy" / "result.nc")
    drawing, (side, force) = figures.chart(190, 200)
    wires, x, z = (result[f"rest_{name}"].to_numpy() for name in ("wire", "x", "z"))
    lengths = list(dict.fromkeys(str(wire).rpartition(", ")[0] for wire in wires))
    here = (x >= FIRST) & (x <= LAST)
    cut = (result["cut_x"] >= FIRST) & (result["cut_x"] <= LAST)
    at, low, high = (result[f"cut_{name}"].to_numpy()[cut] for name in ("x", "bottom", "top"))
    side.bars(at, low, high, "droppers", color=figures.GREEN, width=0.8)
    for wire in dict.fromkeys(map(str, wires)):
        mine = here & (wires == wire)
        if mine.any():
            length, _, role = wire.rpartition(", ")
            label = f"tension length {lengths.index(length) + 1}" if role == "contact" else ""
            width = 2.2 if role == "contact" else 1.2
            side.curve(x[mine], z[mine], label, color=figures.hue(lengths.index(length)), width=width, thin=False)
    side.name("", "height above rail (m)")
    step = sampling_step(result["time"].to_numpy())
    for k, name in enumerate(("first pantograph", "second, 200 m behind")):
        place = result["contact_x"].isel(pantograph=k).to_numpy()
        smooth = low_pass(result["contact_force"].isel(pantograph=k).to_numpy(), step, zero_phase=True)
        seen = (place >= FIRST) & (place <= LAST)
        force.curve(place[seen], smooth[seen], name, color=figures.hue(k))
    for mast in result["mast_x"].to_numpy():
        if FIRST <= mast <= LAST:
            side.rule(x=float(mast))
            force.rule(x=float(mast))
    force.name("distance along the track (m)", "contact force to 20 Hz (N)")
    path = Path(__file__).with_suffix(".svg")
    path.write_text(document(drawing), "utf-8")
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
