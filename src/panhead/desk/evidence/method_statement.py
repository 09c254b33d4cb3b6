"""Statement of the method and its limits of application, by solver, for the evidence pack."""

from __future__ import annotations

from typing import Final

METHOD: Final = {
    "linear": (
        "The line is linearised about its strung shape: contact wire, messenger and stitch wires are Euler–Bernoulli "
        "beams under tension, cubic Hermite elements, consistent mass, proportional damping; droppers carry tension "
        "only; steady arms are masses on hinges. The initial shape is computed with large displacements.",
        "Pantographs are chains of masses, springs, dampers, friction and stops; the contact is a unilateral spring, "
        "so it can be lost and regained.",
        "Time integration by the generalized-α method (trapezoidal rule by default); dropper slackening and contact "
        "are solved within every step. The energy balance of the run closes to rounding.",
    ),
    "cables": (
        "Line and pantograph are one multibody system: wires are cable elements with large deflections, droppers "
        "slacken, the pantograph may be a linkage with flexible members; time integration by generalized-α.",
    ),
    "coupled": (
        "Co-simulation of the linear line and any pantograph, coupled at the contact and iterated in every step; the "
        "pantograph may be an external FMU (FMI).",
    ),
}
LIMITS: Final = (
    (
        "speed",
        "up to the share of the contact wire wave speed allowed by the edition; warning above it, error at the "
        "wave speed",
    ),
    ("frequency", "0 to 20 Hz, the band of EN 50317; mesh and time step must resolve waves in this band (checked)"),
    ("motion of the line", "small compared with the encumbrance (solver linear); larger motion stops the run"),
    ("droppers", "bilinear by default: adequate for contact force and uplift, less accurate for peak dropper forces"),
    ("contact", "one contact point per strip; no arcing, current or wear during the run"),
    ("track and vehicle", "roof at rest unless the run includes a vehicle or a roof motion"),
    ("aerodynamics", "mean uplift proportional to the square of the speed; wind only if specified in the run"),
    ("tolerances", "nominal geometry unless the line includes errors; use a study for tolerances"),
)
AGREED: Final = (
    "σ within ±20 % and uplift within ±20 mm are the accuracies of EN 50318:2002 (recalled; check against "
    "the standard)."
)
CLAIM: Final = (
    "Panhead claims agreement with the values of the standards, not certification. Standards are copyrighted: ranges "
    "and limits are data files, and the status of each value (quoted, recalled, missing) is stated beside it. Users "
    "who hold later editions complete them, and the page marks these values."
)
