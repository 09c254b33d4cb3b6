"""Figures and picture of docs/theory/catenary-mesh.md: ``python docs/pictures/catenary_mesh.py``."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from panhead.validation.planar_catenary.model import contact_force, planar_catenary, start
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate

DURATION, FROM, TO = 9.5, 3.0, 9.0
ROWS = [
    ("embedded", "free", 9, 2e-3),
    ("embedded", "free", 9, 1e-3),
    ("embedded", "free", 9, 0.5e-3),
    ("embedded", "free", 18, 2e-3),
    ("embedded", "free", 18, 1e-3),
    ("embedded", "free", 18, 0.5e-3),
    ("embedded", "free", 36, 2e-3),
    ("embedded", "free", 36, 1e-3),
    ("embedded", "free", 36, 0.5e-3),
    ("embedded", "held", 9, 1e-3),
    ("embedded", "held", 18, 1e-3),
    ("embedded", "held", 36, 1e-3),
    ("pushing", "held", 9, 1e-3),
    ("pushing", "held", 18, 1e-3),
    ("pushing", "held", 36, 1e-3),
    ("pushing", "held", 72, 1e-3),
    ("pushing", "free", 9, 1e-3),
    ("pushing", "free", 18, 1e-3),
    ("pushing", "free", 36, 1e-3),
]
SHOWN = {
    ("embedded", "held", 9): ("joint, 9 elements a span", "#c1272d", "-"),
    ("embedded", "held", 36): ("joint, 36", "#c1272d", ":"),
    ("pushing", "held", 9): ("contact that parts, 9", "#0b5394", "-"),
    ("pushing", "held", 36): ("contact that parts, 36", "#0b5394", ":"),
}


def force(contact, masts, elements, dt):
    model = planar_catenary(contact, masts, elements=elements)
    system = model.system()
    method = GeneralizedAlpha(spectral_radius=0.5, factor="while it serves", tolerance=1e-8)
    run = simulate(system, start(model), duration=DURATION, dt=dt, method=method)
    return run.t, contact_force(system, run)


def slow(t, f):
    spectrum = np.fft.rfft(f)
    spectrum[np.fft.rfftfreq(f.size, t[1] - t[0]) > 20.0] = 0.0
    return np.fft.irfft(spectrum, f.size)


def main() -> int:
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    for contact, masts, elements, dt in ROWS:
        t, f = force(contact, masts, elements, dt)
        inside = (t >= FROM) & (t <= TO)
        g = f[inside]
        figures = (g.mean(), g.std(), slow(t, f)[inside].std(), g.min(), g.max())
        words = " | ".join(f"{x:.1f}" for x in figures)
        print(f"| {contact} | {masts} | {elements} | {1e3 * dt:g} | {words} |", flush=True)
        if (contact, masts, elements) in SHOWN and dt == 1e-3:
            name, colour, style = SHOWN[contact, masts, elements]
            axes.plot(t, f, style, color=colour, lw=1.2, label=name)
    mast = (8 - 1.51) * 56.25 / (200 / 3.6)
    axes.set(xlim=(mast - 0.12, mast + 0.12), ylim=(-1200, 700))
    axes.set(xlabel="time [s]", ylabel="contact force [N]")
    axes.axvline(mast, color="#888888", lw=0.8)
    axes.text(mast + 0.006, 690, "rigid mast", va="top", color="#555555", fontsize=8)
    axes.legend(frameon=False, fontsize=8, loc="lower left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=160)
    return 0


if __name__ == "__main__":
    sys.exit(main())
