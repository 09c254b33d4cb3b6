"""Plain data of one assessed tension length: all that pages and tables show of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from panhead.explore.asbuilt.compliance import GeometryFinding, relative_cost, two_worlds
from panhead.explore.asbuilt.dynamic_cost import TensionLengthCost, TrainPassage
from panhead.explore.asbuilt.fit_tension_length import TensionLengthFit
from panhead.explore.asbuilt.repair_list import RepairList

_COSTLIEST: Final = 12  # parts listed for each tension length


def assessment_record(
    found: TensionLengthCost,
    own: TensionLengthFit,
    geometry: Sequence[GeometryFinding],
    chance: float,
    listed: RepairList,
) -> dict[str, Any]:
    """Everything the pages and tables need of one tension length."""
    ranked = sorted(found.costs, key=lambda c: -relative_cost(found, c.share))
    wanted = [c for c in found.costs if c.part.alarm] + [c for c in ranked[:_COSTLIEST] if not c.part.alarm]
    return {
        "name": own.name,
        "begin": own.begin,
        "end": own.end,
        "rms": own.rms,
        "used": own.used,
        "notes": list(own.notes),
        "parts": len(own.parts),
        "probability": chance,
        "drawn": passage_record(found.drawn),
        "built": passage_record(found.built),
        "culprits": [
            {"part": _part(c.part), "share": dict(c.share), "by": c.by, "relative": relative_cost(found, c.share)}
            for c in sorted(wanted, key=lambda c: -relative_cost(found, c.share))
        ],
        "geometry": [finding_record(f) for f in geometry],
        "profile": sorted(
            [p.x, p.level_drawn, p.level] for p in own.parts if p.kind in ("dropper length", "support height")
        ),
        "worlds": two_worlds(found, geometry),
        "repairs": [
            {
                "part": _part(item.part),
                "work": item.work.name,
                "words": item.words,
                "steps": item.steps,
                "change": item.change,
                "cost": item.cost,
            }
            for item in listed.items
        ],
        "after": [{"count": n, **passage_record(p)} for n, p in zip(listed.after_count, listed.after, strict=True)],
        "after_probability": listed.probability,
        "enough": listed.enough,
        "repair_notes": list(listed.notes),
    }


def finding_record(f: GeometryFinding) -> dict[str, Any]:
    return {
        "label": f.part.label,
        "x": f.part.x,
        "level": f.level,
        "quantity": f.quantity,
        "value": f.value,
        "limit": f.limit,
        "clause": f.clause,
    }


def _part(part: Any) -> dict[str, Any]:
    return {**asdict(part), "label": part.label}


def passage_record(one: TrainPassage) -> dict[str, Any]:
    return {
        "values": dict(one.values),
        "limits": [asdict(limit) | {"margin": limit.margin, "words": limit.words} for limit in one.limits],
    }
