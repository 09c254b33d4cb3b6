"""Results as runs would give them, made of closed formulas: quick, and known in every number."""

from __future__ import annotations

import numpy as np
import xarray as xr

SPAN, SPEED, SPANS = 60.0, 300 / 3.6, 10
DROPPERS = np.array([5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55])


def line(pantographs: int = 1, *, deviation: float = 30.0, step: float = 2e-3) -> xr.Dataset:
    """A run under ten spans; the force is a mean with one span and one dropper harmonic."""
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
    bump = sum(
        0.05 * np.exp(-(((stations - places[:, k, None]) / 9) ** 2)) for k in range(len(names))
    )
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
