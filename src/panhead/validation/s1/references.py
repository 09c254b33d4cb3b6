"""Multibody CX pantograph under a line of cables, against the figures of [Pappalardo16]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.assess.variant_comparison import VariantFigures, side_by_side
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.rank import rank_report
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.runs import scenarios
from panhead.runs.cables.cables_assembly import assemble, resting_line
from panhead.runs.cables.cables_march import CURVES, CableMarch
from panhead.runs.cables.cables_options import CableOptions
from panhead.runs.cables.head_feedback import Regulator
from panhead.runs.cables.observers import static_forces
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.resolve import resolve
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, listed, near

_LOW, _HIGH, _SPAN = 1521.0, 3042.0, 56.25
_STEADY = (
    "listed, not met: proportional to the force with the tensions in print; on a line six times as taut it is, see "
    "the row below and theory/catenary"
)
_CLAIMED = 35.0  # [%], what the paper claims for all its laws at low uplift
_ROBUST = 24.4  # [%], the least of the cuts in print at high uplift
_LOCKED = 0.15  # what 7500 N·s/m leave of the head's own motion, most of it above 20 Hz
_ESTIMATE = "by the estimate (27), as in print: it leaves out the actuator, see theory/catenary"


def _run(x: float, contact: ContactLaw, *, held: bool, uplift: float = _LOW) -> Run:
    """Run of the published pantograph under the level line, its strip at x."""
    return Run(
        line="ancf-simple",
        train=(OnTrain(pantograph="cx-six-bodies", changes={"uplift": uplift}),),
        speed=200 / 3.6,
        solver="cables",
        droppers="bilateral",
        contact=contact,
        cables=CableOptions(contact_held=held),
        journey=Journey(start=x, duration=0.2, judged_from=x, judged_to=x + 10.0),
        numerics=Numerics(element_length=6.25),
    )


def _static_force(x: float, uplift: float) -> float:
    """Static contact force with the contact wire held at the masts [N]."""
    resolved = resolve(_run(x, ContactLaw(kind="joint"), held=True, uplift=uplift))
    return float(static_forces(assemble(resolved, resting_line(resolved), None))[0])


def s1_statics() -> Sequence[Check]:
    """Lever of the uplift force, idle spins of the links, both formulations of the contact."""
    rise = lambda x: _static_force(x, _HIGH) - _static_force(x, _LOW)
    system = LinkagePantograph(linkage="cx-six-bodies").model(stations=False).system()
    report = rank_report(system, system.start.q)
    spins = [link for link in ("lower link", "upper link") if any(link in s for s in report.free)]
    tables = "[Pappalardo16], difference of the means in tables 5 and 6"
    return [
        near("static force gained by 1521 N more uplift, at the height in print", rise(2 * _SPAN), 357.718,
             unit="N", rel=0.02, source=tables, by=BEFORE),
        near("the same at mid-span, where the wire yields", rise(2.5 * _SPAN), 357.718,
             unit="N", rel=0.04, source=tables, by=AFTER),
        near("degrees of freedom of the pantograph", report.freedoms, 4, unit="", source="counted", by=CLOSED_FORM),
        near("idle spins of links named by the rank report", len(spins), 2, unit="", source="counted", by=CLOSED_FORM),
        below("embedded and augmented contact force apart", _apart(), 1e-6, unit="N", source="the same equations",
            by=BEFORE),
    ]  # fmt: skip


def _apart() -> float:
    """Largest difference of the contact forces of both formulations over 0.2 s.

    Near the line's beginning: the round-off of a place 100 m away, divided by β dt², is already 1e-6 N.
    """
    one, other = (_force(ContactLaw(kind="joint", form="embedded")), _force(ContactLaw(kind="joint", form="augmented")))
    return float(np.abs(one - other).max())


def _force(contact: ContactLaw) -> np.ndarray:
    resolved = resolve(_run(12.5, contact, held=False))
    whole = assemble(resolved, resting_line(resolved), None)
    march = CableMarch(whole, method=GeneralizedAlpha(spectral_radius=0.7, tolerance=1e-11))
    march.run()
    return march.streams.table(CURVES)[:, 0]


def _laws(name: str, settings: Sequence[str] = ()) -> dict[str, VariantFigures]:
    return {law.variant: law for law in side_by_side(scenarios.read(name, settings).simulate())}


def _taut(name: str, mean: float, deviation: float, source: str) -> list[Check]:
    """Run on a line that would match the published figures: straight, held at masts, six times the tension."""
    told = f"{source}; fitted: the tension was chosen to come near it"
    bare = _laws(name, ['variants=[{name = "uncontrolled"}]'])["uncontrolled"]
    return [
        listed("mean force, line held and six times as taut", bare.mean, mean, unit="N", source=told),
        listed("deviation, line held and six times as taut", bare.deviation, deviation, unit="N", source=told),
    ]


def s1_low_uplift() -> Sequence[Check]:
    """Uplift of 1521 N: the mean contact force is calibrated, nothing else."""
    laws = _laws("s1-low-uplift")
    table = "[Pappalardo16], table 5"
    bare = laws["uncontrolled"]
    checks = [
        listed("mean force without control", bare.mean, 110.427, unit="N",
            source=f"{table}; fitted: one moment on the lower arm was calibrated to it"),
        listed("deviation without control", bare.deviation, 37.3033, unit="N",
            source=f"{table}; fitted: damping of the arms, presag and start were chosen with it in view"),
    ]  # fmt: skip
    checks += _taut("s1-taut-low-uplift", 110.427, 37.3033, table)
    return checks + _controlled(laws, best=0.442, claimed=_CLAIMED, source=table)


def s1_high_uplift() -> Sequence[Check]:
    """Uplift of 3042 N without further calibration."""
    laws = _laws("s1-high-uplift")
    table = "[Pappalardo16], table 6"
    bare = laws["uncontrolled"]
    checks = [
        near("mean force without control", bare.mean, 468.145, unit="N", rel=0.02, by=AFTER,
            source=f"{table}; nothing calibrated again; a level wire misses it, the presag was chosen in its view"),
        listed("deviation without control", bare.deviation, 41.688, unit="N", source=f"{table}; {_STEADY}"),
    ]  # fmt: skip
    checks += _taut("s1-taut-high-uplift", 468.145, 41.688, table)
    return checks + _controlled(laws, best=0.272, claimed=_ROBUST, source=table)


def _controlled(laws: dict[str, VariantFigures], *, best: float, claimed: float, source: str) -> list[Check]:
    checks = []
    for name, law in laws.items():
        if law.cut is None or law.moved is None:
            continue
        checks.append(below(f"mean moved by {name}", 100 * abs(law.moved), 0.5, unit="%", source=source, by=BEFORE))
        if law.published is not None:
            checks.append(
                at_least(
                    f"deviation of the estimate cut by {name}",
                    100 * (law.estimate_cut or 0.0),
                    claimed,
                    unit="%",
                    reference=100 * (law.published_cut or np.nan),
                    source=f"{source}; {_ESTIMATE}",
                    by=AFTER,
                )
            )
            checks.append(
                listed(
                    f"deviation of the force itself cut by {name}",
                    100 * law.cut,
                    None,
                    unit="%",
                    source="negative: raised. A damper between plunger and head stirs the arms, see theory/catenary",
                )
            )
    told = f"{source}: bound of another law, the best in print, and of the force itself; its head travels 0.34 m"
    ours = 100 * (laws["force feedback"].cut or 0.0)
    checks.append(at_least("deviation cut by force feedback", ours, 100 * best, unit="%", source=told, by=AFTER))
    locked, head = laws["exponential"], Regulator().head_mass
    checks.append(
        near(
            "share of the force's deviation that the estimate shows, exponential",
            (locked.estimate or np.nan) / locked.deviation,
            head / (head + Regulator().arm_mass),
            unit="",
            rel=_LOCKED,
            source="closed form, head locked to the plunger",
            by=AFTER,
        )
    )
    told = f"{source}; of the force itself"
    checks.append(
        at_least(
            "deviation cut by the regulator", 100 * (laws["regulator"].cut or 0), 0.0, unit="%", source=told, by=AFTER
        )
    )
    return checks
