"""Draw the picture of the README: python docs/pictures/planar_pantograph.py."""

from pathlib import Path

import numpy as np

from panhead import scenarios
from panhead.report import figures


def main() -> Path:
    """The planar pantograph under a moving support: poses on the left, the force on the right."""
    result = scenarios.read("planar-pantograph").simulate()
    made, (pose, force) = figures.figure(columns=2, width=9.0, height=3.4)
    parts = result.outline_part.values
    height = result.head_height.values
    for index, strong in ((int(height.argmin()), 0.35), (int(height.argmax()), 1.0)):
        for part in dict.fromkeys(parts):
            chosen = parts == part
            wire = part == "wire"
            pose.plot(
                result.outline_x.values[index, chosen],
                result.outline_y.values[index, chosen],
                color="#a03020" if wire else "#17324d",
                alpha=strong,
                lw=1.2 if wire else 2.6,
                marker=None if wire or part == "pan-head" else "o",
                ms=4,
            )
    pose.set_aspect("equal", adjustable="datalim")
    pose.set_title(
        f"lowest and highest pose, {np.ptp(height) * 1000:.0f} mm apart", loc="left", fontsize=10
    )
    figures.name_axes(pose, "along the track (m)", "height (m)")

    F = -result.interaction_force
    force.plot(result.time, F, color="#17324d", lw=1.0)
    force.axhline(float(F.mean()), color="#a03020", lw=1.0, ls="--")
    force.set_title(
        f"mean {float(F.mean()):.1f} N, standard deviation {float(F.std()):.1f} N",
        loc="left",
        fontsize=10,
    )
    figures.name_axes(force, "time (s)", "force on the wire (N)")
    path = Path(__file__).with_suffix(".png")
    path.write_bytes(figures.to_png(made, dpi=130))
    return path


if __name__ == "__main__":
    print(main())
