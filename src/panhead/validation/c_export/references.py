"""The C export against ``ph.run``: contact forces step by step, both causalities, energy at the port, sanitizers.

The C shares the arrays and the text of the step with the run; what is checked is the translation, the windows and the
interface. Independent of it are the energy balance at the port, and the other causality fed with the answers of one.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from panhead.errors import SimulationError
from panhead.runs import scenarios
from panhead.runs.c_export.compiled_rig import EXACT, CompiledRig, compile_sources, compilers
from panhead.runs.c_export.rig_export import RigSources, rig_sources, write_rig
from panhead.runs.description import Run
from panhead.runs.linear.step.step_arrays import ENERGIES, LEDGER
from panhead.runs.simulate import simulate_one
from panhead.validation.c_export.cosimulation import cosimulation
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, at_least, below, listed

_RUN = "ph.run, the same run by the compiled kernels"
_ASKED = 1e-9  # N
_GIVEN = ("uplift", "train", "wind")  # of the ledger; the rest is lost
#: a long line in a window of nine spans, with a light pantograph that loses contact and droppers that slacken
_LONG = {
    "kind": "run",
    "line": "en50318-2002",
    "speed": "300 km/h",
    "train": [{"pantograph": "en50318-2002", "changes": {"static_force": 25.0}}],
    "journey": {"start": 60.0, "stop": 1100.0, "ramp": 0.5},
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 60.0, "count": 24, "dropper_count": 9}]}]},
    "numerics": {"window": "moving", "ahead": 4, "behind": 4, "absorbing": 2, "near": 4, "element_length": 1.2},
}


def c_export() -> Sequence[Check]:
    """Shipped scenarios and a moving window in C, and the three interfaces."""
    with tempfile.TemporaryDirectory(prefix="panhead-rig-") as folder:
        there = Path(folder)
        return [
            *_shipped_run_checks("en50318-250", there / "a", interfaces=("closed", "motion", "force", "pantograph")),
            *_shipped_run_checks("en50318-300", there / "b"),
            *_shipped_run_checks("two-pantographs", there / "two"),
            *_window_checks(there / "c"),
            *_interfaces(there / "a"),
            *cosimulation(there / "a", _plain_run("en50318-250")[0]),
            *_sanitizer_checks(there / "c"),
        ]


@cache
def _plain_run(name: str) -> np.ndarray:
    """Contact forces (heads, steps) of a shipped run [N]."""
    return np.asarray(simulate_one(scenarios.read(name).description)["contact_force"])


def _shipped_run_checks(name: str, folder: Path, interfaces: Sequence[str] = ("closed",)) -> list[Check]:
    """A shipped run with the operations of the compiled run, and with each of them rounded by itself."""
    _export(scenarios.read(name).description, folder, interfaces)
    force, _, flags = drive(CompiledRig(folder, "closed", *EXACT))
    rounded, _, _ = drive(CompiledRig(folder, "closed"))
    reference, once = _plain_run(name), "without fused multiply-add; about 1e-9 N, by compiler and processor"
    return [
        below(f"{name}: largest difference of the force", _largest(force, reference), _ASKED, "N", _RUN, by=BEFORE),
        below(f"{name}: steps with a flag", float(flags), 0.0, "1", "every step is solved", by=BEFORE),
        listed(f"{name}: without fused operations, largest difference", _largest(rounded, reference), 0.0, "N", once),
    ]


def _window_checks(folder: Path) -> list[Check]:
    run = scenarios.from_plain(dict(_LONG), source="c-export").description
    sources = _export(run, folder)
    force, slack, _ = drive(CompiledRig(folder, "closed", *EXACT))
    reference = simulate_one(run)["contact_force"].to_numpy()
    lost = float((reference[:, 1000:] == 0.0).mean())
    single = folder / "single"
    write_rig(rig_sources(run, ["closed"], single=True), single)
    rough, _, _ = drive(CompiledRig(single, "closed"))
    what = "moving window, slackening, contact loss"
    return [
        below(f"{what}: largest difference of the force", _largest(force, reference), _ASKED, "N", _RUN, by=BEFORE),
        at_least("windows passed", float(sources.windows), 8.0, "1", "the line has 24 spans", by=BEFORE),
        at_least("most droppers slack at once", float(slack.max()), 1.0, "1", "slackening is tested", by=BEFORE),
        at_least("share of time without contact", lost, 1e-3, "1", "so that loss is tested", by=BEFORE),
        listed("float32: largest difference of the force", _largest(rough, reference), None, "N", "told, not bounded"),
        listed("float32: difference of the mean force", float(rough.mean() - reference.mean()), None, "N", "told"),
    ]


def _interfaces(folder: Path) -> list[Check]:
    """Height → force and force → height, each fed with the answers of the closed run."""
    closed, motion, force = (CompiledRig(folder, name) for name in ("closed", "motion", "force"))
    steps, off, wire_off, rate_off = 2500, 0.0, 0.0, 0.0
    stored, before = np.zeros(2), None
    for n in range(1, steps + 1):
        closed.timetable(n)
        answer = closed.step()
        place = motion.timetable(n)
        rate = 0.0 if before is None else 2.0 * (answer["strip"] - before[0]) / 1e-3 - before[1]
        pushed = motion.step(height=answer["strip"], rate=rate)
        before = answer["strip"], rate
        lifted = force.step(position=place["position"], speed=place["speed"], force=answer["force"])
        off = max(off, _largest(pushed["force"], answer["force"]))
        wire_off = max(wire_off, _largest(lifted["height"], answer["height"]))
        rate_off = max(rate_off, _largest(lifted["rate"], answer["rate"]))
        if n == steps:
            stored = np.array([_balance(rig, pushed["port_work"] if rig is motion else lifted["port_work"])
                               for rig in (motion, force)])  # fmt: skip
    closed_run = "interface 'closed' with the same contact"
    balance = "stored = port + train − dissipated, an identity of the scheme; rounding of 2500 steps"
    return [
        below("height → force: largest difference", off, 1e-6, "N", closed_run + "; 50 kN/m × 1e-11 m", by=BEFORE),
        below("force → height: largest difference", wire_off, 1e-12, "m", closed_run, by=BEFORE),
        below("force → height: largest difference of the rate", rate_off, 1e-9, "m/s", closed_run, by=BEFORE),
        below("height → force: energy at the port off by", stored[0], 1e-7, "J", balance, by=CLOSED_FORM),
        below("force → height: energy at the port off by", stored[1], 1e-7, "J", balance, by=CLOSED_FORM),
    ]


def _balance(rig: CompiledRig, port: np.ndarray) -> float:
    """E − port − given + lost [J] of a rig."""
    energy = rig.energy()
    ledger = sum(energy[name] * (1.0 if name in _GIVEN else -1.0) for name in LEDGER)
    return float(sum(energy[name] for name in ENERGIES) - port.sum() - ledger)


def _sanitizer_checks(folder: Path) -> list[Check]:
    """The same program under sanitizers of address and undefined behaviour, and by every other compiler there is."""
    there = compilers()
    checked = [name for name in there if name != "zig"]
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if checked else ["-fsanitize=undefined"]
    sources = [folder / name for name in ("main_closed.c", "rig_closed.c", "line_tables.c")]
    program = compile_sources(there[checked[0] if checked else "zig"], sources, folder / "checked", "-O1", *options)
    done = subprocess.run([str(program), "time", "1500"], capture_output=True, text=True, check=False)
    words = "address and undefined-behaviour sanitizers" if checked else "undefined-behaviour sanitizer"
    return [
        below(f"complaints of the {words}", float(len(done.stderr) + abs(done.returncode)), 0.0, "1", words, by=BEFORE),
        below(
            "compilers here that object (-Wall -Wextra -Werror -pedantic)",
            float(_objections(folder)),
            0.0,
            "1",
            "gcc, clang and zig, as far as they are installed",
            by=BEFORE,
        ),
    ]


def _objections(folder: Path) -> int:
    """Compilers that have something to say about the sources."""
    found = 0
    for command in compilers().values():
        try:
            compile_sources(command, [folder / "rig_closed.c", folder / "line_tables.c"], folder / "any.so", "-O1")
        except SimulationError:
            found += 1
    return found


def _export(run: Run, folder: Path, interfaces: Sequence[str] = ("closed",)) -> RigSources:
    sources = rig_sources(run, interfaces)
    write_rig(sources, folder)
    return sources


def drive(rig: CompiledRig) -> tuple[np.ndarray, np.ndarray, int]:
    """Forces (heads, steps) of the exported run, slack droppers (steps,), and steps with a flag."""
    forces, slack, flags = [], [], 0
    for n in range(1, rig.run_steps + 1):
        rig.timetable(n)
        answer = rig.step()
        forces.append(answer["force"])
        slack.append(answer["slack"])
        flags += answer["flags"] != 0
    return np.array(forces).T, np.array(slack), flags


def _largest(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).max())
