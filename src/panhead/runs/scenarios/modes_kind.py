"""Scenario kind ``modes_kind``: pantograph from published tables, its assembly, deflection, statics and modes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.rank import rank_report
from panhead.engine.structures import Structure
from panhead.errors import ModelError, require_positive
from panhead.files.embed import NAMES
from panhead.files.units import Hertz, Metres, Newtons
from panhead.railway.pantograph.flexible_member import Flexible, member_structure
from panhead.railway.pantograph.linkage import Linkage, read_linkage
from panhead.railway.pantograph.linkage_closure import Assembly, assembly
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_modes import EXPERIMENT, PrintedMode, pantograph_modes, printed_modes
from panhead.railway.pantograph.pantograph_statics import PantographEquilibrium, equilibrium_at_height
from panhead.runs.scenarios import ScenarioKind, SummaryRow

if TYPE_CHECKING:
    import xarray as xr

MEMBERS: tuple[Flexible, ...] = ("top arm", "head")
_MODELS: tuple[Literal["none", "top arm", "head"], ...] = ("none", "top arm", "head")
#: How near a printed frequency must be to count as met.
MET = 0.05


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ModesRun:
    """Published tables, and position of the pantograph."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    linkage: str | Linkage = field(default="cx", metadata={NAMES: "panhead.railway.pantograph.linkage:read_linkage"})
    about: str = ""
    height: Metres = 1.51  #: of the strip above the base [m]
    forces: tuple[Newtons, ...] = (120.0, 157.0)  #: contact forces; the modes are those under the last [N]
    below: Hertz = 200.0  #: modes of the whole pantograph up to this frequency

    def __post_init__(self) -> None:
        require_positive(self, "height", "below")
        if not self.forces:
            raise ModelError("forces: give at least one contact force")
        self.tables()

    def tables(self) -> Linkage:
        """Linkage of the tables."""
        return read_linkage(self.linkage) if isinstance(self.linkage, str) else self.linkage


def simulate(description: ModesRun, job: Job) -> xr.Dataset:
    """Members, assembly, statics and modes, in this order."""
    import xarray as xr

    linkage = description.tables()
    arrays: dict[str, Any] = {}
    for k, member in enumerate(MEMBERS):
        job.progress(0.1 * k, f"modes of the {member}")
        arrays |= _member(linkage, member)
    job.progress(0.2, "assembly")
    closed, printed = _assemblies(linkage)
    arrays |= _assembly(closed)
    moments, found = [], []
    for k, flexible in enumerate(_MODELS):
        job.progress(0.3 + 0.2 * k, f"statics and modes, flexible: {flexible}")
        model = LinkagePantograph(linkage=linkage, flexible=flexible)
        stands = [equilibrium_at_height(model, height=description.height, force=f) for f in description.forces]
        moments.append([s.moment for s in stands])
        found += [(flexible, mode) for mode in _whole(stands[-1], description.below)]
    arrays |= {
        "force": ("force", list(description.forces), {"units": "N"}),
        "model": ("model", list(_MODELS)),
        "moment": (("model", "force"), np.array(moments), {"units": "N·m", "long_name": "moment on the lower arm"}),
        "whole_model": ("whole", [model for model, _ in found]),
        "whole_frequency": ("whole", [m[0] for _, m in found], {"units": "Hz"}),
        "whole_damping": ("whole", [m[1] for _, m in found], {"units": ""}),
        "whole_moves": ("whole", [m[2] for _, m in found]),
        "experiment_frequency": ("experiment", [f for f, _ in EXPERIMENT], {"units": "Hz"}),
        "experiment_words": ("experiment", [w for _, w in EXPERIMENT]),
    }  # fmt: skip
    attrs = {
        "about": description.about,
        "height": description.height,
        "printed_moment": linkage.moment,
        "rank": str(closed.rank),
        "printed_rank": printed,
        "corrections": list(linkage.corrections()),
        "remarks": [f"{x.name}: {x.remark}" for x in linkage.joints if x.remark],
    }
    return xr.Dataset(arrays, attrs=attrs)


def _whole(stand: PantographEquilibrium, below: float) -> list[tuple[float, float, str]]:
    return [(m.frequency, m.damping, m.moves) for m in pantograph_modes(stand, below)]


def _assemblies(linkage: Linkage) -> tuple[Assembly, str]:
    """Assembly with determinate joints; and the rank of the published ones, in words."""
    closed = assembly(LinkagePantograph(linkage=linkage).model().system(), linkage)
    system = LinkagePantograph(linkage=linkage, printed_joints=True).model().system()
    return closed, str(rank_report(system, assembly(system, linkage).q))


def _assembly(found: Assembly) -> dict[str, Any]:
    return {
        "joint": ("joint", [x.joint for x in found.openings]),
        "open_before": ("joint", [x.before for x in found.openings], {"units": "m"}),
        "open_after": ("joint", [x.after for x in found.openings], {"units": "m"}),
        "body": ("body", [x.body for x in found.displacements]),
        "moved": ("body", [x.moved for x in found.displacements], {"units": "m"}),
        "turned": ("body", [x.turned for x in found.displacements], {"units": "rad"}),
    }


def _member(linkage: Linkage, member: Flexible) -> dict[str, Any]:
    """Frequencies, shapes and the mesh of one member, its names begun with the member's."""
    structure, rows = member_structure(linkage, member), printed_modes(linkage, member)
    key = member.replace(" ", "_")
    mode, node, edge = f"{key}_mode", f"{key}_node", f"{key}_edge"
    body = linkage.body(member)
    return {
        f"{key}_words": (mode, [row.words for row in rows]),
        f"{key}_printed": (mode, [row.printed for row in rows], {"units": "Hz"}),
        f"{key}_frequency": (mode, [row.mode.frequency for row in rows], {"units": "Hz"}),
        f"{key}_shape": ((mode, node, "axis"), _shapes(rows), {"units": "m"}),
        f"{key}_point": ((node, "axis"), structure.points, {"units": "m"}),
        f"{key}_edges": ((edge, "end"), edges(structure)),
        f"{key}_inertia": ("property", [structure.mass, *np.diag(structure.inertia)]),
        f"{key}_printed_inertia": ("property", [body.mass, *body.inertia]),
        "property": ("property", ["mass (kg)", *(f"inertia about {a} (kg·m²)" for a in "xyz")]),
    }


def _shapes(rows: tuple[PrintedMode, ...]) -> np.ndarray:
    """Displacements with largest length 1, (modes, nodes, 3); a twist shows as its rotations."""
    shapes = []
    for row in rows:
        moved, turned = row.mode.shape[:, :3], row.mode.shape[:, 3:]
        shape = turned if row.mode.kind == "torsion" else moved
        shapes.append(shape / np.linalg.norm(shape, axis=1).max())
    return np.array(shapes)


def edges(structure: Structure) -> np.ndarray:
    """Pairs of nodes that an element joins, from the blocks of the stiffness, (elements, 2)."""
    K, d = structure.stiffness.tocoo(), structure.per_node
    pairs = np.stack([K.row // d, K.col // d], axis=1)[K.data != 0]
    return np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Frequencies beside the printed ones, closure, moments."""
    rows = []
    for member in MEMBERS:
        key = member.replace(" ", "_")
        trio = (result[f"{key}_{x}"].values for x in ("words", "printed", "frequency"))
        for words, printed, found in zip(*trio, strict=True):
            off = float(found / printed - 1)
            verdict = "met" if abs(off) <= MET else "not met"
            note = f"printed {printed:g}, {100 * off:+.1f} %: {verdict}"
            rows.append(SummaryRow(f"{member}, {words}", float(found), "Hz", note))
    rows.append(SummaryRow("widest open joint as printed", 1e3 * float(result["open_before"].max()), "mm"))
    rows.append(SummaryRow("widest open joint after assembly", float(result["open_after"].max()), "m"))
    printed = f"printed {result.attrs['printed_moment']:g}"
    for k, force in enumerate(result["force"].values):
        value = float(result["moment"][0, k])
        rows.append(SummaryRow(f"moment on the lower arm for {force:g} N", value, "N·m", printed))
    return rows


KIND = ScenarioKind("modes", ModesRun, simulate, summarise)
