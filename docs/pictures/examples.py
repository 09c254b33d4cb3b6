"""Draw what every example shows: ``python docs/pictures/examples.py [NAME …]`` → docs/pictures/examples/NAME.png.

An example runs once, as it stands. What its functions held when they returned is what the picture is drawn
from, so that picture and stated number come from the same run and no example has to know about drawing.
The pages of the gallery show the pictures committed here; nothing is run when they are built.
"""

import importlib.util
import io
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).with_suffix("")
cmap = plt.get_cmap("viridis")


def observed(path):
    """The example as a module, and for each of its functions the local names of every call at its return."""
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    seen = defaultdict(list)

    def hook(frame, event, _):
        if event == "return" and frame.f_code.co_filename == str(path):
            seen[frame.f_code.co_name].append(SimpleNamespace(**dict(frame.f_locals)))

    sys.setprofile(hook)
    try:
        value = example.main()
    finally:
        sys.setprofile(None)
    low, high = example.EXPECTED
    assert low <= value <= high, f"{path.stem}: {value} is not between {low} and {high}"
    return example, seen


def brachiation_on_a_beam(axes, example, seen):
    from panhead.runs.library import brachiation as parts

    m = seen["main"][-1]
    place = {name: k for k, name in enumerate(m.motion["coordinate"].values)}
    for share in np.linspace(0, 1, 9):
        q = m.motion["q"].values[round(share * (len(m.motion["time"]) - 1))]
        nodes = [q[place[f"beam.{k}w"]] for k in range(parts.ELEMENTS + 1)]
        axes.plot(np.linspace(0, parts.BEAM.length, parts.ELEMENTS + 1), nodes, lw=1, color=cmap(share))
        for arm in ("rear", "lead"):
            x, y, angle = (q[place[f"{arm}.{c}"]] for c in ("x", "y", "angle"))
            half = parts.ARM / 2 * np.array([-np.sin(angle), np.cos(angle)])
            axes.plot([x - half[0], x + half[0]], [y - half[1], y + half[1]], "o-", ms=3, color=cmap(share))
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="two swings")


def buckling_of_a_strip(axes, example, seen):
    m = seen["main"][-1]
    axes.plot(m.path.load, m.path.smallest, marker="o", label="smallest eigenvalue of K")
    axes.axhline(0.0, color="0.7", lw=1)
    axes.axvline(m.critical.load, color="C1", label=f"critical load {m.critical.load:.2f} N")
    axes.set(xlabel="load (N)", ylabel="eigenvalue (1/s²)")
    axes.legend()


def blade_that_twists(axes, example, seen):
    m = seen["main"][-1]
    x = np.linspace(0.0, example.LENGTH, len(m.twist))
    axes.plot(x, m.twist, marker="o", label="eight elements")
    axes.plot(x, m.formula * (1 - (1 - x / example.LENGTH) ** 2), color="C1", lw=1, label="closed form")
    axes.set(xlabel="along the blade (m)", ylabel="twist (degrees)")
    axes.legend()


def stress_at_a_weld(axes, example, seen):
    result = seen["main"][-1].result
    axes.plot(result["time"], result["stress_root"] / 1e6, label="at the root")
    axes.axhline(example.STATIC / 1e6, color="C1", lw=1, label="static")
    axes.set(xlabel="time (s)", ylabel="stress (MPa)")
    axes.legend()


def tumbling_at_long_steps(axes, example, seen):
    result = seen["main"][-1].result
    spin = seen["change"][-1].spin
    for k, axis in enumerate("xyz"):
        axes.plot(result["time"], spin[:, k], label=f"about {axis}")
    axes.set(xlabel="time (s)", ylabel="spin in the body (rad/s)")
    axes.legend()


def bouncing_rod(axes, example, seen):
    result = seen["main"][-1].result
    for k, name in enumerate(result["contact"].to_numpy()):
        axes.plot(result["time"], result["contact_gap"][:, k], label=f"{name} end")
    axes.set(xlabel="time (s)", ylabel="gap (m)")
    axes.legend()


def rod_across_two_wires(axes, example, seen):
    result = seen["main"][-1].result
    for k, name in enumerate(result["contact"].to_numpy()):
        axes.plot(result["time"], result["contact_normal"][:, k], label=name)
    for share in (0.6, 0.4):
        axes.axhline(share * example.MASS * 9.81, color="0.6", lw=1)
    axes.set(xlabel="time (s)", ylabel="force (N)", ylim=(0, 30))
    axes.legend()


def chain_falls_on_table(axes, example, seen):
    m = seen["main"][-1]
    t = np.linspace(0.0, m.times[-1], 200)
    weight = example.DENSITY * example.GRAVITY**2 * t**2 / 2
    between = (m.times[1:] + m.times[:-1]) / 2
    force = m.blows[1:-1] / np.diff(between) + np.interp(m.times[1:-1], t, weight)
    axes.plot(m.times[1:-1], force, "o", ms=3, label="blows of the beads, spread over time, and weight")
    axes.plot(t, 3 * weight, label="3 ρ g x")
    axes.plot(t, weight, color="0.7", label="weight on the table, ρ g x")
    axes.set(xlabel="time (s)", ylabel="force on the table (N)")
    axes.legend()


def clamp_strikes_pantograph(axes, example, seen):
    m = seen["main"][-1]
    for name, unit, scale in (("head.z", "m/s", 1.0), ("head.e1", "rad/s", 2.0)):
        label = "head, up" if name == "head.z" else "head, roll"
        axes.plot(1e3 * m.motion.t, scale * m.motion.v[:, m.system.place(name)], label=f"{label} ({unit})")
    axes.set(xlabel="time (ms)", ylabel="speed")
    axes.legend()


def arms_that_stick_and_slide(axes, example, seen):
    m = seen["main"][-1]
    axes.plot(m.motion.t[1:], m.share, label="friction over normal force")
    axes.axhline(0.2, color="0.7", lw=1)
    axes.plot(m.motion.t, m.seen.slip[:, 0], label="slip (m/s)")
    axes.set(xlabel="time (s)")
    axes.legend()


def power_oriented_graph(axes, example, seen):
    drawing = example.graph().factorized()
    for part in drawing.parts:
        kind = type(part).__name__
        if kind == "DiagramBox":
            axes.add_patch(
                plt.Rectangle(
                    (part.x - part.width / 2, part.y - part.height / 2), part.width, part.height, fc="aliceblue", ec="k"
                )
            )
            axes.text(part.x, part.y, part.lines[0], ha="center", va="center", fontsize=8)
        elif kind == "DiagramArrow":
            axes.plot(*zip(*part.corners, strict=True), color="C0", lw=1)
        elif kind == "DiagramCut":
            axes.plot([part.x] * 2, [part.top, part.bottom], "C3--", lw=1)
        else:
            axes.add_patch(plt.Circle((part.x, part.y), 10, fc="w", ec="k"))
    axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0), aspect="equal")
    axes.axis("off")


def bracket_in_few_coordinates(axes, example, seen):
    m = seen["main"][-1]
    motion = np.linalg.solve(m.held, m.load)[: 6 + m.k]
    points = m.body.points
    turned = np.cross(motion[3:6], points)
    moved = motion[:3] + turned + m.body.displacements @ motion[6:]
    order = np.lexsort((points[:, 1], points[:, 0]))
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points[order], axis=0), axis=1))])
    axes.plot(way, 1e3 * moved[order, 2], ".-", label="reduced bracket")
    axes.plot(way[-1], 1e3 * m.expected, "o", mfc="none", ms=10, color="C3", label="tip by hand")
    axes.axvline(example.A, color="0.7", lw=1)
    axes.annotate("corner", (example.A, 0), xytext=(4, 4), textcoords="offset points", color="0.5")
    axes.set(xlabel="along the tubes from the wall [m]", ylabel="deflection [mm]")
    axes.legend()


def calibrate_support_motion(axes, example, seen):
    last = seen["statistics"][-1]
    axes.plot(last.motion.t, last.force, lw=1)
    mean, deviation = example.WANTED
    axes.axhline(mean, color="C3", lw=1)
    axes.axhspan(mean - deviation, mean + deviation, color="C3", alpha=0.12, label="published mean ± σ")
    axes.set(xlabel="t [s]", ylabel="interaction force [N]", xlim=(0, 10))
    axes.legend()


def catenary_control(axes, example, seen):
    from panhead.files.variants import separate

    for name, one in separate(seen["main"][-1].result).items():
        axes.plot(one["time"], one["contact_force"].values[0], lw=1, label=name)
    axes.set(xlabel="t [s]", ylabel="contact force [N]", xlim=(0, example.SECONDS))
    axes.legend()


def chain(axes, example, seen):
    m = seen["main"][-1]
    for k in range(example.LINKS):
        x, z = (m.result["q"].sel(coordinate=f"link{k}.{c}") for c in "xz")
        axes.plot(x, z, color="0.85", lw=1, zorder=0)
    for share in np.linspace(0, 1, 9):
        i = round(share * (m.result.sizes["time"] - 1))
        q = m.result["q"].isel(time=i)
        places = [[q.sel(coordinate=f"link{k}.{c}") for c in "xz"] for k in range(example.LINKS)]
        axes.plot(*np.vstack([[0, 0], places]).T, ".-", color=cmap(share))
    axes.set(xlabel="x [m]", ylabel="z [m]", aspect="equal", title="centres of the links every 1/8 s")


def cx_pantograph_under_a_force(axes, example, seen):
    m = seen["main"][-1]
    states = list(zip(m.motion.t, m.motion.q, m.motion.v, strict=True))
    for y, words in ((0.2, "pushed, 0.2 m to the left"), (0.0, "middle"), (-0.2, "0.2 m to the right")):
        heights = [m.strip.touch(float(t), q, v, y).height for t, q, v in states]
        axes.plot(1e3 * m.motion.t, 1e3 * (np.array(heights) - 1.51), label=words)
    axes.set(xlabel="t [ms]", ylabel="strip's height from rest [mm]")
    axes.legend()


def damping_laws_of_a_pan_head(axes, example, seen):
    for law, force in seen["main"][-1].force.items():
        axes.plot(np.linspace(0, 10, len(force)), force, lw=1, label=f"{law}: σ = {force.std():.1f} N")
    axes.set(xlabel="t [s]", ylabel="contact force [N]", xlim=(0, 4))
    axes.legend(ncols=2, fontsize=8)


def double_pendulum_on_a_cart(axes, example, seen):
    m = seen["main"][-1]
    axes.plot(m.motion.t, m.kinetic, lw=1, label="kinetic energy")
    axes.plot(m.motion.t, m.change, lw=1.5, label="energy since the start")
    axes.plot(m.motion.t, m.drivers, "--", lw=1.5, label="work of the cart")
    axes.set(xlabel="t [s]", ylabel="J", xlim=(0, 10))
    axes.legend()


def flexible_arm_on_a_hinge(axes, example, seen):
    m = seen["main"][-1]
    away = 1e3 * (m.moved - m.at_foot[:, :3] - m.turned)
    axes.plot(m.motion.t, away[:, 2], label="across, z")
    axes.plot(m.motion.t, away[:, 0], label="along, x")
    axes.set(xlabel="t [s]", ylabel="tip from the rigid arm [mm]", xlim=(0, 0.6))
    axes.legend()


def four_bar_rank_report(axes, example, seen):
    from panhead.engine.methods.equilibrium import assemble_configuration

    m = seen["main"][-1]
    for share, crank in enumerate(np.linspace(0.2, 2.2, 7)):
        a, _, c = assemble_configuration(m.good, np.array([crank, 0.3, 1.5]), fixed=("crank",))
        pin = np.array([np.cos(a), np.sin(a)])
        head = np.array([3 + 2 * np.cos(c), 2 * np.sin(c)])
        axes.plot(*np.array([[0, 0], pin, head, [3, 0]]).T, "o-", ms=3, color=cmap(share / 6))
    axes.plot([0, 3], [0, 0], "k^", ms=9)
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="one freedom: positions by the crank's angle")


def hanging_chain_modes(axes, example, seen):
    from panhead.engine.methods.equilibrium import equilibrium
    from panhead.engine.methods.modes import linearise, modes

    system = example.by_angles()
    found = modes(linearise(system, *equilibrium(system, np.full(3, 0.2))))
    for k, frequency in enumerate(found.frequency):
        angle = 0.35 * np.real(found.shapes[:, k])
        x, y = np.cumsum(np.sin(angle)) * example.LINK, -np.cumsum(np.cos(angle)) * example.LINK
        axes.plot(k + np.append(0, x), np.append(0, y), "o-", ms=5)
        axes.plot([k, k], [0, -1.5], color="0.8", lw=1, zorder=0)
        axes.annotate(f"{frequency:.3f} Hz", (k, 0.1), ha="center")
    axes.set(aspect="equal", ylim=(-1.65, 0.3), xlim=(-0.6, 2.6), ylabel="m", xticks=[])


def large_deflection_cantilever(axes, example, seen):
    call = next(c for c in reversed(seen["tip"]) if len(c.held) == 3)
    places = [[call.q[call.system.place(f"bar.{k}{a}")] for a in "xy"] for k in range(call.last + 1)]
    axes.plot([0, example.LENGTH], [0, 0], color="0.7", label="straight bar")
    axes.plot(*np.array(places).T, ".-", label="32 cubic elements")
    x = np.linspace(0, example.LENGTH, 50)
    axes.plot(x, -(x**2) * (3 * example.LENGTH - x) / 2 / example.LENGTH**2, "--", color="C3", label="linear theory")
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axes.legend()


def own_pantograph_under_a_line(axes, example, seen):
    force = seen["main"][-1].force.squeeze()
    axes.plot(force["time"], force, lw=1)
    mean, deviation = float(force.mean()), float(force.std())
    axes.axhspan(mean - deviation, mean + deviation, color="C3", alpha=0.12, label="mean ± σ")
    axes.set(xlabel="t [s]", ylabel="contact force under cables [N]")
    axes.legend()


def pantograph_as_a_unit(axes, example, seen):
    m = seen["main"][-1]
    t = np.linspace(0, example.SECONDS, len(m.here))
    axes.plot(t, m.here, lw=3, alpha=0.4, label="in one process")
    axes.plot(t, m.there, lw=1, color="C3", label="as a functional mock-up unit")
    axes.set(xlabel="t [s]", ylabel="contact force [N]")
    axes.legend()


def pendulum_on_beam(axes, example, seen):
    m = seen["main"][-1]
    nodes = [m.system.place(f"beam.{k}w") for k in range(example.ELEMENTS + 1)]
    for share in np.linspace(0, 1, 7):
        q = m.run.q[round(share * (len(m.run.t) - 1))]
        x, y, first, between = (q[m.system.place(n)] for n in m.system.coordinates[:4])
        angles = np.array([first, first + between])
        steps = np.array(example.ARMS) * np.array([np.sin(angles), -np.cos(angles)])
        joints = np.cumsum(np.column_stack([(x, y), steps]), axis=1)
        axes.plot(np.linspace(0, example.LENGTH, example.ELEMENTS + 1), q[nodes], lw=1, color=cmap(share))
        axes.plot(*joints, "o-", ms=3, color=cmap(share))
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="poses over one second")


def planar_pantograph_equilibrium(axes, example, seen):
    m = seen["main"][-1]
    shift = np.real(m.small.shapes[:, :2].T)
    for k, q in enumerate([m.q, *(m.q + 0.04 * s for s in shift)]):
        words = "at rest" if k == 0 else f"mode at {m.small.frequency[k - 1]:.2f} Hz"
        for x, y in m.system.outline(np.zeros(1), q[None, :]).values():
            axes.plot(np.ravel(x), np.ravel(y), "o-", ms=3, lw=2.5 if k == 0 else 1, color=f"C{k}", label=words)
            words = None
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axes.legend(fontsize=8)


def rotor_in_bearings(axes, example, seen):
    from panhead.engine.methods.equilibrium import equilibrium
    from panhead.engine.methods.modes import linearise, modes

    for film, mark in ((0.0, "o"), (2e5, "x")):
        system = example.rotor(film=film)
        s = modes(linearise(system, *equilibrium(system, system.start.q))).eigenvalues
        s = s[np.abs(s) > 2 * np.pi]
        axes.plot(s.real, np.abs(s.imag) / 2 / np.pi, mark, ms=8, mfc="none", label=f"cross stiffness {film:.0e} N/m")
    axes.axvline(0, color="0.6", lw=1)
    axes.set(xlabel="growth, real part [1/s]", ylabel="frequency [Hz]")
    axes.legend()


def robot_from_urdf(axes, example, seen):
    m = seen["main"][-1]
    for name, coordinate in zip(example.START, m.robot.measured, strict=True):
        axes.plot(m.motion["time"], m.motion["q"].sel(coordinate=coordinate), label=name)
    axes.set(xlabel="t [s]", ylabel="joints [rad, m]", xlim=(0, 0.3))
    axes.legend()


def robot_to_urdf(axes, example, seen):
    m = seen["main"][-1]
    names = ("shoulder", "elbow")
    axes.bar([x - 0.2 for x in range(2)], m.one, width=0.4, label="from MJCF")
    axes.bar([x + 0.2 for x in range(2)], m.other, width=0.4, label="written as URDF, read again")
    axes.set(xticks=range(2), xticklabels=names, ylabel="acceleration [rad/s²]")
    axes.legend()


def run_under_a_line(axes, example, seen):
    from panhead.assess.filters import low_pass

    for name, call in zip(example.LINES, seen["contact"], strict=True):
        x, force = call.result["contact_x"].values[0], call.result["contact_force"].values[0]
        step = float(call.result.attrs["step"])
        axes.plot(x, low_pass(force, step, zero_phase=True), lw=1.2, label=name)
    axes.set(xlabel="along the line, spans 5 and 6 [m]", ylabel="contact force, 20 Hz [N]", xlim=(240, 360))
    axes.legend(fontsize=8)


def slider_crank_elastic_rod(axes, example, seen):
    m = seen["main"][-1]
    t = np.linspace(0, 0.3, len(m.soft))
    axes.plot(t, 1e3 * m.soft, label="soft rod")
    axes.plot(t, 1e3 * m.stiff, label="a hundred times stiffer")
    axes.set(xlabel="t [s]", ylabel="bow of the rod's middle [mm]", xlim=(0, 0.3))
    axes.legend()


def spinning_top(axes, example, seen):
    m = seen["main"][-1]
    phi, theta, _ = m.motion.q.T
    x, y = (m.l * np.sin(theta) * part for part in (np.sin(phi), -np.cos(phi)))
    points = axes.scatter(1e3 * x, 1e3 * y, c=m.motion.t, s=8, cmap="viridis")
    axes.figure.colorbar(points, label="t [s]")
    axes.set(aspect="equal", xlabel="x [mm]", ylabel="y [mm]", title="centre of mass, seen from above")


def stick_slip_on_a_belt(axes, example, seen):
    m = seen["main"][-1]
    weight = example.MASS * example.GRAVITY
    axes.plot(m.motion.t, 1e3 * m.motion.q[:, m.system.place("block.x")], label="block")
    for mu, name in ((example.STICKS, "it lets go"), (example.SLIDES, "sliding balances the spring")):
        axes.axhline(1e3 * mu * weight / example.STIFFNESS, color="0.7", ls="-" if name[0] == "i" else ":", label=name)
    axes.set(xlabel="time (s)", ylabel="stretch of the spring (mm)", xlim=(0, 3))
    axes.legend(loc="lower right")


def line_from_tables(axes, example, seen):
    from panhead.railway.line import static_shape, string

    line = seen["main"][-1].line
    shape = static_shape(string(line))
    x = line.chainage
    for wire in shape.wires:
        axes.plot(x + wire.x, wire.z, color="C0" if wire.role == "contact" else "C1", label=wire.role)
    drops = shape.droppers
    axes.vlines(x + drops.x, drops.z_bottom, drops.z_top, color="0.6", lw=1)
    axes.set(xlabel="chainage [m]", ylabel="above rail [m]")
    beside = axes.twinx()
    (wire,) = [w for w in shape.wires if w.role == "contact"]
    beside.plot(x + wire.x, 1e3 * wire.y, color="C3", label="across")
    beside.set(ylabel="contact wire across [mm]", ylim=(-400, 400))
    curves = [*axes.get_lines(), *beside.get_lines()]
    axes.legend(curves, [str(c.get_label()) for c in curves], fontsize=8)


def string_a_line(axes, example, seen):
    from panhead.railway.line import static_shape

    m = seen["main"][-1]
    shape = static_shape(m.strung, spans=(5, 7))
    for wire in shape.wires:
        axes.plot(wire.x, wire.z, color="C0" if wire.role == "contact" else "C1", label=wire.role)
    axes.vlines(shape.droppers.x, shape.droppers.z_bottom, shape.droppers.z_top, color="0.6", lw=1)
    axes.set(xlabel="along the line [m]", ylabel="above rail [m]")
    beside = axes.twinx()
    beside.plot(m.curve.x, 1e3 * m.curve.value, color="C3", label="elasticity")
    beside.set(ylabel="elasticity [mm/N]", ylim=(0, 1.0))
    curves = [*axes.get_lines(), *beside.get_lines()]
    axes.legend(curves, [str(c.get_label()) for c in curves], fontsize=8)


def pantograph_on_a_rig(axes, example, seen):
    words = ("1 ms", "3 ms", "3 ms, compensated", "30 ms")
    for name, call in zip(words, seen["on_the_rig"], strict=True):
        time = example.H * np.arange(1, len(call.applied) + 1)
        axes.plot(time, call.applied, lw=1, label=name, zorder=-len(axes.lines))
    axes.set(xlabel="t [s]", ylabel="force of the actuator [N]", ylim=(-100, 600))
    axes.legend(fontsize=8)


def swing_up_a_cart_pendulum(axes, example, seen):
    m = seen["main"][-1]
    x, theta = m.run.y[:, -1], m.run.y[:, 1] + np.pi
    for i in range(0, len(x), 10):
        bob = (x[i] + 0.5 * np.sin(theta[i]), -0.5 * np.cos(theta[i]))
        axes.plot([x[i], bob[0]], [0, bob[1]], "-", lw=1, color=cmap(i / len(x)))
        axes.plot(*bob, "o", ms=4, color=cmap(i / len(x)))
    axes.plot(x, 0 * x, color="0.3", lw=3)
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="every 0.1 s, dark to light")


def two_codes(axes, example, seen):
    distance = seen["main"][-1].distance
    axes.barh(list(distance), list(distance.values()), color="C0")
    axes.set(xscale="log", xlabel="contact force from the truth, r.m.s. [N]", xlim=(1e-12, 1e2))
    axes.invert_yaxis()


def line_in_a_curve(axes, example, seen):
    m = seen["main"][-1]
    for words, span in m.shapes.items():
        axes.plot(span.mesh.x, 1e3 * span.shape["contact"][:, 2], label=words)
    axes.set(xlabel="along a span [m]", ylabel="contact wire inside the track's middle [mm]")
    axes.legend(fontsize=8)


def compare_two_tensions(axes, example, seen):
    for run in seen["main"][-1].runs:
        r = run.result
        known = r["support_judged"].to_numpy() > 0
        axes.plot(r["support_x"][known], 1e3 * r["support_uplift"][known], "o-", label=run.name)
    axes.set(xlabel="along the track [m]", ylabel="largest uplift [mm]")
    axes.legend()


def setting_and_signature(axes, example, seen):
    m = seen["main"][-1]
    for result, label in ((m.first, "as found"), (m.second, f"static force {m.change.static:.1f} N")):
        inside = (result["contact_x"][0] > 180) & (result["contact_x"][0] < 300)
        axes.plot(result["contact_x"][0][inside], result["contact_force"][0][inside], lw=1, label=label)
    axes.axhline(102.03, color="0.5", ls="--", label="limit of the mean")
    axes.set(xlabel="along the track [m]", ylabel="contact force [N]")
    axes.legend()


def wear_along_a_wire(axes, example, seen):
    m = seen["main"][-1]
    axes.plot(m.x, m.wear, label="wear index")
    axes.plot(m.x, [p / 120.0 for p in m.pressed], "--", label="mean force / 120 N")
    axes.set(xlabel="along the track [m]", ylabel="index [1]")
    axes.legend()


def speed_curve(axes, example, seen):
    m = seen["main"][-1]
    inputs = m.index["input"].to_numpy()
    for k, tension in enumerate(dict.fromkeys(inputs[:, 0])):
        mine = inputs[:, 0] == tension
        axes.plot(
            inputs[mine, 1].astype(float), m.uplift[mine], "o-", color=f"C{k}", label=f"contact wire at {tension}"
        )
    axes.set(xlabel="speed [m/s]", ylabel="largest uplift [mm]")
    axes.legend()


def tram_line(axes, example, seen):
    from panhead.railway.line.strung_shape import static_shape

    m = seen["main"][-1]
    for strung, label in ((m.strung, "tram"), (m.second, "depot, across at 30°")):
        (wire,) = static_shape(strung, spans=(7, 10), element_length=0.25).wires
        axes.plot(wire.x, wire.z, label=label)
    axes.axvline(m.passage.crossing, color="0.7", lw=1)
    axes.set(xlabel="along each track [m]", ylabel="height of the contact wire [m]")
    axes.legend()


def design_of_a_real_line(axes, example, seen):
    result = seen["main"][-1].result
    x, uplift = result["support_x"].to_numpy(), 1e3 * result["support_uplift"].to_numpy()
    axes.bar(x, uplift.reshape(x.size, -1).max(axis=1), width=12.0, label="computed")
    axes.axhline(46.0, color="C3", label="declared, 46 mm")
    axes.set(xlabel="distance along the track [m]", ylabel="uplift at the steady arm [mm]", ylim=(0, 55))
    axes.legend(loc="upper left", ncols=2)


def conductor_rail(axes, example, seen):
    found = seen["main"][-1].found
    for label, place in (("mid-span", 0), ("at a support", 1)):
        axes.plot(list(found), [row[place] for row in found.values()], "o-", label=label)
    axes.set(xlabel="distance between supports [m]", ylabel="elasticity [mm/N]", ylim=(0, None))
    axes.legend()


def better_droppers(axes, example, seen):
    one = seen["main"][-1].found.passages[0]
    for when, color in (("before", "0.6"), ("after", "C0")):
        r = one.results[when, "finer"]
        axes.plot(r["contact_x"][0], r["contact_force"][0], color=color, lw=1.2, label=when)
    axes.set(xlabel="distance along the track [m]", ylabel="contact force [N]", xlim=(110, 160))
    axes.legend()


def calibrate_a_passage(axes, example, seen):
    one = seen["main"][-1].found.residuals[0]
    axes.plot(one.trace.instants, one.trace.data, "o", ms=3, color="C1", label="measured, filtered")
    axes.plot(one.trace.instants, one.computed, color="C0", lw=1.2, label="calibrated run")
    axes.set(xlabel="time [s]", ylabel="contact force [N]")
    axes.legend()


def pantograph_from_a_bench_test(axes, example, seen):
    m = seen["main"][-1]
    axes.loglog(m.f, 1e3 * np.abs(m.response), "o", ms=3, color="C1", label="measured")
    fine = np.geomspace(m.f[0], m.f[-1], 300)
    axes.loglog(fine, 1e3 * np.abs(example.head_receptance(m.found, fine)), color="C0", label="two masses")
    axes.set(xlabel="frequency [Hz]", ylabel="receptance of the head [mm/N]")
    axes.legend()


def which_dropper_is_to_blame(axes, example, seen):
    m = seen["main"][-1]
    axes.bar(
        np.arange(m.slopes.size), 1e-3 * m.slopes, color=["C3" if k == m.worst else "C0" for k in range(m.slopes.size)]
    )
    axes.set(xlabel="dropper along the line [1]", ylabel="change of σ for each millimetre longer [N]")


def gradient_under_cables(axes, example, seen):
    m = seen["main"][-1]
    axes.bar(np.arange(m.worst.size), 1e-3 * m.worst, color="C0")
    axes.set(xlabel="dropper along the line [1]", ylabel="change of σ for each millimetre longer [N]")


def variator_with_noise(axes, example, seen):
    r = seen["main"][-1].r
    words = ("exact answer at\nthe same tilt", "noise-free,\nperiod average", "noise only in the\ndifferenced signal")
    ours = [100 * x.largest for x in (r.same_factorized, r.averaged_factorized, r.rate_factorized)]
    theirs = [100 * x.largest for x in (r.same_euler_lagrange, r.averaged_euler_lagrange, r.rate_euler_lagrange)]
    places = np.arange(3)
    axes.bar(places - 0.2, ours, 0.4, label="factorized")
    axes.bar(places + 0.2, theirs, 0.4, label="Euler–Lagrange")
    axes.set(xticks=places, xticklabels=words, yscale="log", ylabel="largest deviation [%]", ylim=(1e-15, 1e2))
    axes.legend()


def vehicle_on_rough_track(axes, example, seen):
    m = seen["main"][-1]
    load = m.result.seen.force[:, 0, :, 2] / 1e3
    axes.plot(m.result.motion.t[: len(load)], load, lw=1, label=("first axle, left", "right"))
    axes.axhline(m.loads.mean() / 1e3, color="0.6", lw=1)
    axes.set(xlabel="t [s]", ylabel="wheel load [kN]", xlim=(0, 3))
    axes.legend()


def view_in_space(axes, example, seen):
    m = seen["main"][-1]
    for k, bar in enumerate(m.bars):
        for i, frame in enumerate(range(0, len(bar.points), len(bar.points) // 5)):
            axes.plot(*bar.points[frame][:, [0, 2]].T, color=f"C{k}", alpha=0.25 + 0.15 * i, lw=3, marker="o", ms=4)
    axes.set(xlabel="x (m)", ylabel="height (m)", aspect="equal")


def asbuilt_from_a_measuring_train(axes, example, seen):
    parts = [p for p in seen["main"][-1].fit.parts if p.kind in ("dropper length", "support height")]
    for kind, mark in (("dropper length", "."), ("support height", "^")):
        own = [(p.place, p.deviation, p.alarm) for p in parts if p.kind == kind]
        places = [place[0] + (place[1] + 1) / 12 * (kind == "dropper length") for place, _, _ in own]
        axes.plot(places, [1e3 * d for _, d, _ in own], mark, label=kind)
    axes.set(xlabel="span", ylabel="deviation (mm)")
    axes.legend()


def learn_to_control(axes, example, seen):
    calls = seen["returns"]
    axes.plot(range(1, len(calls) + 1), [c.total.mean() for c in calls], marker="o", label="mean of eight policies")
    axes.plot(range(1, len(calls) + 1), [c.total.max() for c in calls], marker=".", label="best of them")
    axes.set(xlabel="generation", ylabel="return of an episode")
    axes.legend()


def motion_in_an_optimiser(axes, example, seen):
    m = seen["main"][-1]
    t = np.linspace(0.0, 0.5, len(m.found.x))
    axes.plot(t, m.best.run().q[:, m.angle], label="angle (rad)")
    axes.plot(t, 10.0 * m.found.x, label="torque (N·m)")
    axes.axhline(example.WANTED, color="0.6", lw=1)
    axes.set(xlabel="time (s)", ylabel="angle (rad), torque (N·m)")
    axes.legend()


def own_functions_and_events(axes, example, seen):
    motion = seen["main"][-1].motion
    axes.plot(motion["time"], motion["speed"])
    for name, t in zip(motion["event_name"].values, motion["event_time"].values, strict=True):
        axes.axvline(t, color="0.6", lw=1)
        axes.annotate(str(name), (t, 25.0), rotation=90, ha="right", va="top")
    axes.set(xlabel="time (s)", ylabel="speed of the fall (m/s)")


def parametric_resonance(axes, example, seen):
    found = seen["main"][-1].found
    turn = np.linspace(0.0, 2 * np.pi, 200)
    axes.plot(np.cos(turn), np.sin(turn), color="0.7", lw=1, label="circle of stability")
    axes.plot(found.real, found.imag, "o", label="Floquet multipliers")
    axes.set(xlabel="real part", ylabel="imaginary part", aspect="equal")
    axes.legend(loc="upper right")


def response_of_a_linearised_model(axes, example, seen):
    m = seen["main"][-1]
    axes.semilogy(m.frequency, m.swing)
    axes.set(xlabel="frequency of the drive (Hz)", ylabel="swing of the load (rad/N)")


def surrogate_of_a_study(axes, example, seen):
    m = seen["main"][-1]
    for rows, words in ((m.seen, "trained on"), (m.unseen, "not seen")):
        axes.plot(m.deviation(rows), example.features(rows) @ m.weights, "o", ms=4, label=words)
    ends = [min(m.deviation(m.rows)), max(m.deviation(m.rows))]
    axes.plot(ends, ends, color="0.7", lw=1)
    axes.set(xlabel="σ of the run (N)", ylabel="σ of the surrogate (N)")
    axes.legend()


def line_and_pantograph_as_units(axes, example, seen):
    m = seen["main"][-1]
    axes.plot(example.H * np.arange(1, example.STEPS + 1), m.forces)
    axes.set(xlabel="t [s]", ylabel="contact force of two FMUs [N]")


def learn_with_ppo(axes, example, seen):
    m = seen["main"][-1]
    axes.barh(["trained network", "no control"], m.found)
    axes.set(xlabel="deviation of the contact force under a line not seen in training [N]")


def draw(path):
    """Run one example and write its picture: 640 × 360, few colours, some 10 kB."""
    example, seen = observed(path)
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    globals()[path.stem](axes, example, seen)
    raw = io.BytesIO()
    figure.savefig(raw, dpi=100)
    plt.close(figure)
    FOLDER.mkdir(exist_ok=True)
    picture = FOLDER / f"{path.stem}.png"
    Image.open(raw).convert("RGB").quantize(48).save(picture, optimize=True)
    return picture


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for found in sorted((ROOT / "examples").glob("*.py")):
        if not wanted or found.stem in wanted:
            print(draw(found), flush=True)
