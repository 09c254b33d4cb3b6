"""Numbers of plain runs, by the judge or by hand: the reference of gradients, with nothing of theirs in it."""

import numpy as np
import scipy.signal

from panhead.assess import judgement
from panhead.runs.simulate import simulate


def values(run, numbers):
    """Each number of the run as anyone would run it, (numbers,)."""
    result = simulate(run)
    return np.array([number(result, of) for of in numbers])


def number(result, of):
    """A number of a result; what the judge has, by the judge."""
    kind, _, name = of.partition(" ")
    criteria = {c.key: c.value for c in next(iter(judgement(result)[""].values()))}
    if of in criteria:
        return criteria[of]
    if kind == "uplift":
        return float(result["support_uplift"].to_numpy()[list(result["support_name"].to_numpy()).index(name)])
    if kind.startswith("dropper"):
        of_cables = "dropper " + name.partition(".span")[2].replace(".dropper", "-")
        k = next(k for k, known in enumerate(result["dropper_name"].to_numpy()) if known in (name, of_cables))
        most, least = (float(result[f"dropper_{end}_force"][k]) for end in ("max", "min"))
        return {"dropper_max": most, "dropper_min": least, "dropper_range": most - least}[kind]
    return _of_force(result, of)


def _of_force(result, of):
    """Smooth numbers, over 2 N and 5 N; σ up to 20 Hz by Parseval."""
    force, times = result["contact_force"].to_numpy()[0], result["time"].to_numpy()
    judged = (times >= result.attrs["judged_from"] - 1e-9) & (times <= result.attrs["judged_to"] + 1e-9)
    if of == "contact_loss_smooth":
        return float(np.exp(-np.maximum(force[judged], 0.0) / 5.0).mean())
    if of == "deviation_0_20":
        spectrum = np.abs(np.fft.rfft(force[judged]))[1:]
        f = np.fft.rfftfreq(judged.sum(), times[1] - times[0])[1:]
        return float(np.sqrt(2.0 * (spectrum[f < 20.0] ** 2).sum()) / judged.sum())
    sos = scipy.signal.butter(6, 20.0, fs=1.0 / (times[1] - times[0]), output="sos")
    filtered = scipy.signal.sosfilt(sos, force - force[0]) + force[0]
    sign = 1.0 if of == "smooth_max" else -1.0
    return float(sign * 2.0 * np.log(np.exp(sign * filtered[judged] / 2.0).sum()))
