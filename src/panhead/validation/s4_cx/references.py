"""The CX pantograph under a stitched line at 300 km/h, rigid and flexible [Ambrosio11, sec. 4.3]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess import judgement
from panhead.files.variants import separate
from panhead.railway.pantograph.linkage import read_linkage
from panhead.runs import scenarios
from panhead.validation.checks import BEFORE, CLOSED_FORM, PRINT, Check, below, listed, near
from panhead.validation.cx.by_hand import planar_force

if TYPE_CHECKING:
    import xarray as xr

#: First bending up and down of each member, free–free [Hz], as typed from the tables of [Ambrosio11].
PRINTED = {"top arm": 100.8, "head": 49.6}
_SAID = (
    "rigid model; [Ambrosio11], conclusions: flexibility changes the contact force only slightly; 5 % is our reading, "
    "older than the runs with Hertz's contact"
)
_ELSEWHERE = "rigid model; the paper applies the force to virtual bodies: a force that travels along the strip bends it"
_STRIP = "flexible head, force on the strip"
_BOUNCES = "not converged: wire and strip bounce faster than steps of 1 ms resolve"
_ABOVE = "rigid model; no bounds: above 20 Hz a contact this stiff is not converged"


def s4_cx() -> Sequence[Check]:
    """All rows, from the shipped scenario."""
    result = scenarios.read("s4-cx").simulate()
    runs = separate(result)
    found = {name: {c.key: c.value for c in next(iter(of.values()))} for name, of in judgement(result).items()}
    rigid, *flexible = found
    pressed = planar_force(read_linkage("cx"), 1.51, read_linkage("cx").moment)
    checks = [
        listed(
            "mean force, rigid", found[rigid]["mean_force"], pressed, "N", "static force of the printed data at rest"
        )
    ]
    for name, run in runs.items():
        checks += _of_run(name, run, found[name]["contact_loss"])
    for name in flexible:
        quantity, sigma, beside = f"deviation to 20 Hz, {name}", found[name]["deviation"], found[rigid]["deviation"]
        checks += [
            listed(quantity, sigma, beside, unit="N", source=_ELSEWHERE)
            if name == _STRIP
            else near(quantity, sigma, beside, unit="N", rel=0.05, source=_SAID, by=BEFORE),
            listed(
                f"deviation as computed, {name}",
                _deviation(runs[name]),
                _deviation(runs[rigid]),
                unit="N",
                source=_ABOVE,
            ),
        ]
    return [*checks, *_by_mode(runs)]


def _judged(run: xr.Dataset) -> np.ndarray:
    """Mask of the assessed times, (n,)."""
    return run["time"].to_numpy() >= float(run.attrs["judged_from"]) - 1e-9


def _deviation(run: xr.Dataset) -> float:
    """Standard deviation of the unfiltered force [N]."""
    return float(run["contact_force"].to_numpy()[0, _judged(run)].std())


def _of_run(name: str, run: xr.Dataset, loss: float) -> list[Check]:
    return [
        below(
            f"distance from one piece, {name}",
            float(run.attrs["distance_max"]),
            1e-6,
            unit="N",
            source="the same equations and steps in one Newton iteration",
            by=BEFORE,
        ),
        below(
            f"interface energy error, {name}",
            float(np.abs(run["interface_energy_error"]).max()),
            1e-6,
            unit="J",
            source="contact forces agree to 1e-6 N at strip speeds below 1 m/s",
            by=CLOSED_FORM,
        ),
        listed(f"time without contact, {name}", loss, None, unit="1", source=_BOUNCES),
    ]


def _by_mode(runs: dict[str, xr.Dataset]) -> list[Check]:
    """Mode with the largest displacement of its member, mean and fluctuation together."""
    checks = []
    for member, wanted, figure in (("top arm", "bending about y", 13), ("head", "bending about x", 16)):
        run, key = runs[f"flexible {member}"], member.replace(" ", "_")
        w = run[f"{key}_deformation"].to_numpy()[:, _judged(run)]
        size = np.abs(w.mean(axis=1)) + w.std(axis=1)
        first = int(size.argmax())
        checks.append(
            near(
                f"{member}: the mode that moves it most",
                float(run[f"{key}_frequency"][first]),
                PRINTED[member],
                unit="Hz",
                rel=0.05,
                source=f"[Ambrosio11], fig. {figure}: first {wanted} leads; frequency typed from print",
                by=PRINT,
            )
        )
    return checks
