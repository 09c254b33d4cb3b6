"""The planar pantograph at rest under the wire: pose, force on the wire, frequencies."""

import numpy as np

import panhead as ph
from panhead.engine.methods.modes import linearise
from panhead.engine.symbolic import SymbolicSystem
from panhead.runs.scenarios.shipped_models import mechanism

#: Frequency of the second mode [Hz].
EXPECTED = (5.062, 5.064)


def main() -> float:
    """Equilibrium on the upper branch, then its two modes; the second frequency in Hz."""
    system = SymbolicSystem(mechanism("planar-pantograph"))
    q, lam = ph.equilibrium(system, np.array([2.4, 2.5, -0.5, 0.1]))
    for name, value in zip(system.coordinates, q, strict=True):
        print(f"{name:8s} {value:8.4f}")

    one = np.zeros(1)
    outputs = system.outputs(one, q[None, :], 0 * q[None, :], np.zeros((1, len(system.controls))))
    height, force = outputs["head_height"][0], outputs["interaction_force"][0]
    print(f"head height {height:.4f} m, force {force:.2f} N")

    small = ph.modes(linearise(system, q, lam))
    for frequency, damping in zip(small.frequency, small.damping, strict=True):
        print(f"mode at {frequency:.3f} Hz, damping ratio {damping:.3f}")
    return float(small.frequency[1])


if __name__ == "__main__":
    main()
