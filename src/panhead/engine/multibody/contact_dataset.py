"""Contacts along a motion as a labelled dataset: gaps, forces, slips, and every impact with its losses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from panhead.engine.methods.trajectory import ContactHistory, Trajectory
from panhead.engine.multibody.contact_tables import Contacts

#: What may be asked of a contact by "NAME.…": field of the history, unit.
SHOWN = {
    "gap": ("gap", "m"),
    "normal force": ("normal", "N"),
    "friction force": ("friction", "N"),
    "slip": ("slip", "m/s"),
}
_OF_STRIKES = {"approach": "m/s", "departure": "m/s", "impulse": "N*s", "lost": "J"}


def contact_variables(contacts: Contacts, motion: Trajectory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and coordinates: (time, contact) each, in space also (axis); energies lost (time), impacts (strike)."""
    history = motion.contacts
    assert history is not None
    words = {"gap": "gap", "normal": "normal force", "friction": "friction force", "slip": "speed of sliding"}
    units = {field: unit for field, unit in SHOWN.values()}
    variables: dict[str, Any] = {
        f"contact_{field}": (("time", "contact"), getattr(history, field), {"units": units[field], "long_name": word})
        for field, word in words.items()
    }
    for k, (name, word) in enumerate((("impacts", "in impacts"), ("rubbing", "by rubbing"))):
        labels = {"units": "J", "long_name": f"lost {word} (part of what is dissipated)"}
        variables[f"lost_{name}"] = ("time", history.lost[:, k], labels)
    place, force = _in_space(contacts, motion, history)
    for field, values, unit, word in (("place", place, "m", "touching"), ("force", force, "N", "force on the second")):
        labels = {"units": unit, "long_name": word}
        variables[f"touch_{field}"] = (("time", "contact", "axis"), values, labels)
    coordinates: dict[str, Any] = {"contact": list(history.names), "axis": list("xyz")}
    if history.strikes:
        for field, unit in _OF_STRIKES.items():
            values = np.array([getattr(strike, field) for strike in history.strikes])
            variables[f"strike_{field}"] = ("strike", values, {"units": unit, "long_name": f"{field} of an impact"})
        coordinates["strike_time"] = ("strike", np.array([s.t for s in history.strikes]), {"units": "s"})
        coordinates["strike_contact"] = ("strike", [s.contact for s in history.strikes])
    return variables, coordinates


def _in_space(contacts: Contacts, motion: Trajectory, history: ContactHistory) -> tuple[np.ndarray, np.ndarray]:
    """Return contact points and forces on the second body, (time, contact, 3) both [m, N].

    F = F_N n + F_T; in the plane F_T acts along n turned by a right angle.
    """
    touching = np.array([contacts.touching(t, q) for t, q in zip(motion.t, motion.q, strict=True)])
    place, n = touching[:, :, 0], touching[:, :, 1]
    force = history.normal[..., None] * n
    for k, (a, b) in enumerate(pairwise(history.first)):
        along = history.force[:, a + 1 : b]
        if b - a == 2:
            along = along * np.stack([-n[:, k, 1], n[:, k, 0], np.zeros(len(n))], axis=1)
        force[:, k] += along if b - a > 1 else 0.0
    return place, force


def contact_output(history: ContactHistory, name: str) -> Any:
    """Return the output "CONTACT.what" of a contact over time, labelled; None if there is no such name."""
    contact, _, what = name.rpartition(".")
    if contact not in history.names or what not in SHOWN:
        return None
    field, unit = SHOWN[what]
    return "time", getattr(history, field)[:, history.names.index(contact)], {"units": unit, "long_name": name}
