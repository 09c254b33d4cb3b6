"""A slider-crank whose rod bends: how much, and what stays of it with a stiffer rod.

The rod is made of cubic elements in absolute nodal coordinates; its pins are ordinary revolute joints. A rod
a hundred times stiffer in bending moves as the rigid mechanism does.
"""

import numpy as np

import panhead as ph
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody.outline import marker_on, positions
from panhead.runs.library.slider_crank import slider_crank

#: Largest distance of the rod's middle from its chord [m].
EXPECTED = (0.0706, 0.0709)
ROD = 0.5


def bow(model: ph.Model) -> np.ndarray:
    """Distance of the rod's middle from the straight line between its pins, over time [m]."""
    system = model.system()
    method = ph.GeneralizedAlpha(spectral_radius=0.9)
    motion = simulate(system, system.start, duration=0.3, dt=1e-4, keep=1e-3, method=method)
    places = [marker_on(model, "rod", (share * ROD,)) for share in (0.0, 0.5, 1.0)]
    first, middle, last = np.moveaxis(positions(system, motion, places)[..., :2], 1, 0)
    chord = (last - first) / np.linalg.norm(last - first, axis=1)[:, None]
    out = middle - first
    return np.abs(chord[:, 0] * out[:, 1] - chord[:, 1] * out[:, 0])


def main() -> float:
    soft, stiff = bow(slider_crank()), bow(slider_crank(bending_stiffness=100.0))
    print(f"the soft rod bows by at most {1e3 * soft.max():.1f} mm")
    print(f"a rod a hundred times stiffer by {1e3 * stiff.max():.2f} mm")
    return float(soft.max())


if __name__ == "__main__":
    main()
