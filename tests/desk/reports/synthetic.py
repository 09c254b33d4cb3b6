"""Results as runs would give them, made of closed formulas: quick, and known in every number."""

from __future__ import annotations

import json

import numpy as np
import xarray as xr

from panhead.assess import judge
from panhead.files.variants import join

SPAN, SPEED, SPANS = 60.0, 300 / 3.6, 10
DROPPERS = np.array([5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55])


def run(pantographs: int = 1, *, deviation: float = 30.0, step: float = 2e-3) -> xr.Dataset:
    """A judged run under ten spans; the force is a mean with one span and one dropper harmonic."""
    return judge(_run(pantographs, deviation=deviation, step=step))


def _run(pantographs: int = 1, *, deviation: float = 30.0, step: float = 2e-3) -> xr.Dataset:
    times = np.arange(0, 480 / SPEED, step)
    x = 60.0 + SPEED * times - 100.0 * np.arange(pantographs)[:, None] + 100.0 * (pantographs - 1)
    phase = 2 * np.pi * x / SPAN
    amplitude = np.sqrt(2) * deviation
    force = 115 + amplitude * (0.95 * np.cos(phase) + 0.31 * np.cos(phase * SPAN / 6.5))
    names = [f"pantograph {k + 1}" for k in range(pantographs)]
    dataset = xr.Dataset(
        {
            "contact_force": (("pantograph", "time"), force, {"units": "N"}),
            "contact_x": (("pantograph", "time"), x, {"units": "m"}),
            "contact_z": (("pantograph", "time"), 5.08 + 0.05 * _sag(x), {"units": "m"}),
        },
        coords={"time": ("time", times, {"units": "s"}), "pantograph": names},
        attrs={
            "title": "synthetic",
            "about": "Ten spans made of formulas",
            "speed": SPEED,
            "judged_from": 180 / SPEED,
            "judged_to": 300 / SPEED,
            "supply": "25 kV AC",
            "edition": "en50367-2012",
            "wave_speed": 121.716,
            "uplift_space": 0.14,
            "versions": '{"panhead": "0"}',
            "cpu": "paper and pencil",
            "inputs": "{}",
        },
    )
    return dataset.merge(_track()).merge(_energies(times)).merge(_pictures(names, times, x))


def _sag(x: np.ndarray) -> np.ndarray:
    """0 at supports, 1 at mid-span."""
    return np.sin(np.pi * x / SPAN) ** 2


def _track() -> xr.Dataset:
    supports = SPAN * np.arange(SPANS + 1)
    droppers = np.add.outer(SPAN * np.arange(SPANS), DROPPERS).ravel()
    rng = np.random.default_rng(5)
    slack = np.flatnonzero((droppers > 70) & (droppers < 530) & (np.arange(droppers.size) % 9 != 4))
    passing = (droppers[slack] - 60.0) / SPEED
    begin = passing - 0.02 - 0.03 * rng.random(slack.size)
    along = np.arange(240.0, 360.01, 0.5)
    e = 0.25e-3 + 0.23e-3 * np.sin(np.pi * along / SPAN) ** 2
    return xr.Dataset(
        {
            "support_x": ("support", supports, {"units": "m"}),
            "support_uplift": ("support", 0.05 + 0.008 * rng.random(supports.size), {"units": "m"}),
            "support_judged": ("support", ((supports >= 240) & (supports <= 360)).astype(np.int8)),
            "dropper_x": ("dropper", droppers, {"units": "m"}),
            "dropper_static_force": ("dropper", np.full(droppers.size, 86.0), {"units": "N"}),
            "dropper_min_force": ("dropper", np.zeros(droppers.size), {"units": "N"}),
            "dropper_max_force": ("dropper", 150 + 40 * rng.random(droppers.size), {"units": "N"}),
            "slack_dropper": ("slack", slack),
            "slack_start": ("slack", begin, {"units": "s"}),
            "slack_end": ("slack", begin + 0.06 + 0.08 * rng.random(slack.size), {"units": "s"}),
            "elasticity_x": ("elasticity_point", along, {"units": "m"}),
            "elasticity": ("elasticity_point", e, {"units": "m/N"}),
        }
    )


def _energies(times: np.ndarray) -> xr.Dataset:
    shapes = {
        "kinetic": 40 + 4 * np.cos(9 * times),
        "potential": 60 - 4 * np.cos(9 * times) + 20 * times,
        "work_train": 25 * times,
        "dissipated": 5 * times,
        "balance": 1e-7 * np.sin(30 * times),
    }
    return xr.Dataset({name: ("time", values, {"units": "J"}) for name, values in shapes.items()})


def _pictures(names: list[str], times: np.ndarray, x: np.ndarray) -> xr.Dataset:
    stations = np.arange(0.0, SPAN * SPANS + 0.5, 1.0)
    frames = times[::12]
    places = x[:, ::12].T
    bump = sum(0.05 * np.exp(-(((stations - places[:, k, None]) / 9) ** 2)) for k in range(len(names)))
    contact, messenger = np.full(stations.size, 5.08), 5.08 + 1.2 - 0.7 * _sag(stations)
    return xr.Dataset(
        {
            "static_x": ("station", stations),
            "static_contact_z": ("station", contact),
            "static_messenger_z": ("station", messenger),
            "frame_time": ("frame", frames, {"units": "s"}),
            "frame_x": ("frame_point", stations, {"units": "m"}),
            "frame_contact_z": (("frame", "frame_point"), contact + bump, {"units": "m"}),
            "frame_messenger_z": (("frame", "frame_point"), messenger + 0.4 * bump, {"units": "m"}),
            "frame_pantograph_x": (("frame", "pantograph"), places, {"units": "m"}),
            "frame_head_z": (("frame", "pantograph"), np.full(places.shape, 5.13), {"units": "m"}),
        }
    )


def _per_pantograph(result: xr.Dataset, **curves: np.ndarray) -> xr.Dataset:
    return result.assign({k: (("pantograph", "time"), v[None]) for k, v in curves.items()})


def laws() -> xr.Dataset:
    """Three laws of the head side by side as solver "cables" tells them, with numbers in print."""
    made = {}
    for name, deviation, gain in (("none", 40.0, 0.0), ("derivative", 30.0, 800.0), ("bang-bang", 25.0, 60.0)):
        one = _run(deviation=deviation)
        t, force = one["time"].to_numpy(), one["contact_force"].to_numpy()[0]
        rate = 0.1 * np.sin(9 * t)
        push = -gain * rate if gain > 100 else -gain * np.sign(rate)
        one = _per_pantograph(
            one,
            head_z=5.08 + 0.02 * np.sin(9 * t),
            plunger_z=4.98 + 0.012 * np.sin(9 * t + 0.3),
            head_rate=rate,
            plunger_rate=0.5 * rate,
            actuator_force=push,
            actuator_power=push * rate,
            force_estimate=force + 0.5 * np.sin(50 * t),
            force_by_balance=force + 0.01 * np.sin(50 * t),
        ).assign(static_force=("pantograph", [115.0]), constraint_residual=("time", 1e-12 * np.abs(np.sin(t))))
        found = {"damping": gain} if gain else {}
        made[name] = one.assign_attrs(solver="cables", control=json.dumps(found), source="a book")
    published = np.array([[115.0, 41.0], [115.0, 29.0], [np.nan, np.nan]])
    return judge(join(made).assign(published=(("variant", "moment"), published)))


def members() -> xr.Dataset:
    """A linkage, rigid and with a flexible top arm, as solver "coupled" tells it."""
    made = {}
    for name, deviation in (("rigid", 30.0), ("flexible top arm", 30.6)):
        one = _run(deviation=deviation)
        t, x = one["time"].to_numpy(), one["contact_x"].to_numpy()[0]
        force = one["contact_force"].to_numpy()
        one = one.assign(
            strip_force=(("pantograph", "strip", "time"), np.stack([0.6 * force, 0.4 * force], 1)),
            strip_z=(("pantograph", "time"), one["contact_z"].to_numpy() - 1e-3),
            contact_y=(("pantograph", "time"), 0.2 * np.sin(np.pi * x / SPAN)[None]),
            iterations=("time", np.full(t.size, 3.0)),
            interface_energy_error=("time", 1e-7 * np.sin(3 * t)),
            interface_energy=("time", 12.0 * t),
        )
        attrs = {"scheme": "iterated", "exchange_step": 2e-3, "distance_max": 1e-5, "moment": 900.0}
        if name == "rigid":
            one = one.merge(_linkage(one))
        else:
            modes = np.arange(1, 9)
            w = np.sin(20 * modes[:, None] * t) * 1e-3 / modes[:, None] ** 2
            one = one.assign(
                top_arm_deformation=(("top_arm_mode", "time"), w),
                top_arm_frequency=("top_arm_mode", 20.0 * modes),
                top_arm_words=("top_arm_mode", [f"bending {k}" for k in modes]),
            )
        made[name] = one.assign_attrs(solver="coupled", **attrs)
    return judge(join(made))


def _linkage(one: xr.Dataset) -> xr.Dataset:
    """Two arms and a head that rises with the wire: x from the strip, z above the rails."""
    rise = 0.05 * np.sin(6 * one["frame_time"].to_numpy())
    zero = np.zeros(rise.size)
    joints = {
        "lower_arm": [(zero, zero + 3.7), (zero + 1.5, 4.4 + rise / 2)],
        "top_arm": [(zero + 1.5, 4.4 + rise / 2), (zero, 5.0 + rise)],
        "head": [(zero - 0.3, 5.05 + rise), (zero + 0.3, 5.05 + rise)],
    }
    dims = ("frame", "joint", "xz")
    return xr.Dataset(
        {f"linkage_{name}": (dims, np.stack([np.stack(p, -1) for p in points], 1)) for name, points in joints.items()}
    )


def on_vehicle(outcome: str = "on the track") -> xr.Dataset:
    """The roof moving below the pantograph, beside the same run with a level roof."""
    moving, level = _run(deviation=31.0), _run(deviation=30.0)
    t = np.arange(0.0, 6.0, 0.01)
    moving = moving.assign(
        roof_time=("roof_time", t),
        roof_z=("roof_time", 0.008 * np.sin(6 * t) + 0.002 * np.sin(40 * t)),
        roof_y=("roof_time", 0.01 * np.sin(4 * t)),
        roof_rate=("roof_time", 0.048 * np.cos(6 * t)),
        ride_outcome=((), outcome, {"long_name": "480 m in 6 s"}),
    )
    return judge(join({"roof moving": moving, "roof level": level}))


def mechanism(*, balance: float = 1e-10) -> xr.Dataset:
    """A crank with two angles and a slide, four outputs, two constraints, an outline."""
    t = np.linspace(0.0, 4.0, 801)
    q = np.stack([2.4 + 0.01 * np.sin(t), -0.5 + 0.02 * np.cos(3 * t), 0.1 * np.sin(5 * t)], 1)
    crank_x, crank_y = np.cos(q[:, 0]), np.sin(q[:, 0])
    energies = {
        "kinetic": np.sin(t) ** 2,
        "potential": np.cos(t) ** 2,
        "work_controls": 0 * t,
        "balance": balance * np.sin(t),
    }
    data = {
        "q": (("time", "coordinate"), q),
        "v": (("time", "coordinate"), np.gradient(q, t, axis=0)),
        "coordinate_units": ("coordinate", ["rad", "rad", "m"]),
        "lam": (("time", "constraint"), np.stack([np.sin(t), np.cos(t)], 1)),
        "constraint_residual": ("time", 1e-14 * np.abs(np.sin(t)), {"units": "m"}),
        "velocity_residual": ("time", 1e-13 * np.abs(np.cos(t)), {"units": "m/s"}),
        "head": ("time", crank_y, {"units": "m", "long_name": "height of the head"}),
        "force": ("time", -30 + 5 * np.sin(t), {"units": "N", "long_name": "interaction force"}),
        "outline_x": (("time", "outline"), np.stack([0 * t, crank_x, crank_x, crank_x + 1], 1)),
        "outline_y": (("time", "outline"), np.stack([0 * t, crank_y, crank_y, crank_y], 1)),
        **{name: ("time", values, {"units": "J"}) for name, values in energies.items()},
    }
    coords = {
        "time": t,
        "coordinate": ["theta1", "theta2", "x"],
        "constraint": ["loop x", "loop y"],
        "outline_part": ("outline", ["crank", "crank", "rod", "rod"]),
    }
    attrs = {"title": "crank", "about": "made of formulas", "outputs": ["head", "force"]}
    return xr.Dataset(data, coords, attrs)
