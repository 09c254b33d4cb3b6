"""What a pack says of the method and of where it ends, by solver; facts of the program, not of a run."""

from __future__ import annotations

from typing import Final

METHOD: Final = {
    "linear": (
        "The line is linearised about its strung shape: contact wire, messenger and stitch wires are Euler–Bernoulli "
        "beams under tension, cubic Hermite elements, consistent mass, proportional damping; droppers pull and never "
        "push; steady arms are masses on hinges. The shape is strung first with large displacements.",
        "Pantographs are chains of masses, springs, dampers, friction and stops; the contact is a unilateral spring, "
        "so it can be lost and regained.",
        "Time is marched by the generalized-α method (trapezoidal rule by default) with the slackening of droppers and "
        "the contact solved within every step; the energy ledger of the run closes to rounding.",
    ),
    "cables": (
        "Line and pantograph are one multibody system: wires are cable elements of large deflection, droppers "
        "slacken, the pantograph may be a linkage with flexible members; marched by generalized-α.",
    ),
    "coupled": (
        "The linear line and any pantograph are two codes that meet at the contact in every step, iterated to "
        "agreement; the pantograph may be a foreign unit (FMI).",
    ),
}
LIMITS: Final = (
    ("speed", "below the share of the contact wire's wave speed that the edition allows; warned above, refused at it"),
    ("frequency", "0 to 20 Hz, the band of EN 50317; mesh and step must carry the waves of it (checked)"),
    ("motion of the line", "small against the encumbrance (solver linear); a wire beyond it ends the run"),
    ("droppers", "bilinear unless told otherwise: right for contact force and uplift, off for their own peaks"),
    ("contact", "one point on each strip; no arcs, no current, no wear during the run"),
    ("track and vehicle", "level roof unless the run has a vehicle or a moving roof"),
    ("aerodynamics", "a mean lift by the square of the speed; wind only where the run has it"),
    ("tolerances", "nominal geometry unless the line has errors; scatter is a study's answer"),
)
AGREED: Final = "σ within ±20 % and uplift within ±20 mm are the accuracies of EN 50318:2002 as recalled; check them."
CLAIM: Final = (
    "Panhead claims agreement with the numbers of the standards, never certification. Standards are protected texts: "
    "ranges and limits are data whose standing (quoted, recalled, missing) is told beside them; later editions are "
    "completed by who has their text, and marked so."
)
