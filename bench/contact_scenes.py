"""Five scenes of contact, each one MJCF file, run here and by MuJoCo: a box on a slope, a stack of 50, a spinning top,
dominoes and a pit of 200 balls.

Both read the same text. Contact is rigid here, with complementarity solved to 1e-9; MuJoCo's is soft and convex, with
its default parameters. Each scene tells the error over time that it has, at the quarters of the run: distance from the
closed form, drift of what should stand still, or overlap of bodies; and its time, steps of the same length. ``--long``:
stack and pit in full. Exudyn runs the pit, with springs and dampers at contacts: its general contact knows spheres and
triangles, not boxes and cylinders.
"""

import importlib.util
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import panhead as ph
from panhead.engine.rotations import rates_of
from panhead.files.urdf import Robot

G, SLOPE = 9.81, 0.3
_HEAD = '<mujoco><option gravity="{}"/><default><geom density="1000" friction="0.5 0 0"/></default><worldbody>'
_FLOOR = '<geom name="floor" type="plane" size="5 5 1"/>'


@dataclass(frozen=True)
class Scene:
    """A file, how long it runs, and the error of bodies' centres over time."""

    text: str
    duration: float
    dt: float
    error: Callable[[np.ndarray, np.ndarray], np.ndarray]  #: times (n,), centres (n, bodies, 3) → error (n,) over time
    says: str
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)  #: of the first body, in its axes [rad/s]
    balls: tuple[tuple[float, float, float], ...] = ()  #: centres at the start, for codes that know balls alone [m]


def _body(name: str, place: tuple[float, float, float], *geoms: str) -> str:
    return f'<body name="{name}" pos="{place[0]:.9g} {place[1]:.9g} {place[2]:.9g}"><freejoint/>{"".join(geoms)}</body>'


def _file(*parts: str, gravity: tuple[float, float, float] = (0.0, 0.0, -G)) -> str:
    return _HEAD.format(" ".join(f"{x:.12g}" for x in gravity)) + _FLOOR + "".join(parts) + "</worldbody></mujoco>"


def slope() -> Scene:
    box = _body("box", (0, 0, 0.05), '<geom type="box" size="0.2 0.15 0.05" friction="0.2 0 0"/>')
    text = _file(box, gravity=(G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE))).replace("0.5 0 0", "0.1 0 0")
    slides = G * (np.sin(SLOPE) - 0.2 * np.cos(SLOPE))
    off = lambda t, x: np.abs(x[:, 0, 0] - slides * t**2 / 2)
    return Scene(text, 0.5, 2e-3, off, "distance from the closed form, m")


def stack(count: int) -> Scene:
    bodies = [_body(f"b{k}", (0, 0, 0.05 + 0.1 * k), '<geom type="box" size="0.1 0.1 0.05"/>') for k in range(count)]
    drift = lambda t, x: np.abs(x - x[0]).max(axis=(1, 2))
    return Scene(_file(*bodies), 0.2, 2e-3, drift, "largest drift of a box at rest, m")


def top() -> Scene:
    tip, disc = '<geom type="sphere" size="0.005"/>', '<geom type="cylinder" size="0.04 0.005" pos="0 0 0.04"/>'
    lean = lambda t, x: np.hypot(x[:, 0, 0] - x[0, 0, 0], x[:, 0, 1] - x[0, 0, 1])
    text = _file(_body("top", (0, 0, 0.00501), tip, disc))
    return Scene(text, 0.3, 5e-4, lean, "wander of its centre, m", (1.0, 0.0, 150.0))


def dominoes(count: int = 12) -> Scene:
    stone = '<geom type="box" size="0.01 0.04 0.08"/>'
    bodies = [_body(f"b{k}", (0.06 * k, 0, 0.08), stone) for k in range(count)]
    sinks = lambda t, x: np.maximum(0.0, 0.0099 - x[..., 2].min(axis=1))
    return Scene(_file(*bodies), 0.8, 2e-3, sinks, "a centre below half a stone's width, m", (0.0, 6.0, 0.0))


def pit(count: int, duration: float) -> Scene:
    walls = [
        f'<geom type="plane" size="5 5 1" pos="{-0.3 * s * (a == 0)} {-0.3 * s * (a == 1)} 0" '
        f'zaxis="{s * (a == 0)} {s * (a == 1)} 0"/>'
        for a in (0, 1)
        for s in (-1, 1)
    ]
    rng = np.random.default_rng(0)
    places = []
    for k in range(count):
        x, y = 0.005 * rng.random(2)
        places.append(((k % 5 - 2) * 0.11 + x, (k // 5 % 5 - 2) * 0.11 + y, 0.06 + 0.12 * (k // 25)))
    bodies = [_body(f"b{k}", place, '<geom type="sphere" size="0.05"/>') for k, place in enumerate(places)]
    text = _file(*walls, *bodies)
    return Scene(text, duration, 2e-3, _overlap, "deepest overlap, m", balls=tuple(places))


def _overlap(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Deepest overlap of two balls, or of a ball and the floor."""
    own = 1e3 * np.eye(x.shape[1])
    apart = [float((np.linalg.norm(c[:, None] - c[None], axis=2) + own).min()) for c in x]
    return np.maximum(0.0, np.maximum(0.1 - np.array(apart), 0.05 - x[..., 2].min(axis=1)))


def _quarters(scene: Scene, t: np.ndarray, x: np.ndarray) -> dict[str, Any]:
    """Error at the quarters of the run and its largest value, and the speed that is left at the end."""
    error = scene.error(t, x)
    at = [round(k * (len(t) - 1) / 4) for k in range(1, 5)]
    speed = float(np.abs(x[-1] - x[-2]).max() / (t[-1] - t[-2]))
    return {
        f"{scene.says}, at the quarters": ", ".join(f"{error[k]:.2g}" for k in at),
        f"{scene.says}, largest": float(error.max()),
        "largest speed at the end, m/s": speed,
    }


def _ours(scene: Scene, path: Path) -> dict[str, Any]:
    robot: Robot = ph.read_mjcf(path)
    bodies = [item.name for item in robot.model.items if type(item).__name__ == "RigidBody"]
    system = robot.model.system()
    v = system.start.v.copy()
    v[3:7] = rates_of(system.start.q[3:7], scene.spin)
    robot.model.simulate(duration=scene.dt, dt=scene.dt, v=v)  # compile
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a run that warns of its residual is a failure here
        result = robot.model.simulate(duration=scene.duration, dt=scene.dt, v=v)
    seconds = time.process_time() - begin
    names = [f"{b}.{c}" for b in bodies for c in "xyz"]
    x = result.q.sel(coordinate=names).values.reshape(len(result.time), -1, 3)
    return _quarters(scene, result.time.values, x) | {
        "residual of complementarity": float(result.collision_residual.max()),
        "contacts, most": int(result.collision_count.max()),
        "s of processor time": seconds,
    }


def _mujoco(scene: Scene, path: Path) -> dict[str, Any]:
    if importlib.util.find_spec("mujoco") is None:
        return {"MuJoCo": "not installed (pip install mujoco): not measured"}
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = scene.dt
    data = mujoco.MjData(model)
    data.qvel[3:6] = scene.spin
    steps = round(scene.duration / scene.dt)
    x = np.zeros((steps + 1, model.nbody - 1, 3))
    mujoco.mj_forward(model, data)
    x[0] = data.xipos[1:]
    begin = time.process_time()
    for k in range(steps):
        mujoco.mj_step(model, data)
        x[k + 1] = data.xipos[1:]
    seconds = time.process_time() - begin
    found = _quarters(scene, scene.dt * np.arange(steps + 1), x) | {"s of processor time": seconds}
    return {f"MuJoCo, {key}": value for key, value in found.items()}


def _exudyn(scene: Scene) -> dict[str, Any]:
    """The pit alone; the balls start where the scene puts them."""
    if not scene.balls:
        return {}
    if importlib.util.find_spec("exudyn") is None:
        return {"Exudyn": "not installed (pip install exudyn): not measured"}
    from peers import exudyn_balls

    keep = 0.01
    done = exudyn_balls.pit(scene.balls, radius=0.05, half_width=0.3, duration=scene.duration, keep=keep)
    x = np.array(done["centres"])
    found = _quarters(scene, keep * np.arange(len(x)), x) | {"s of processor time": done["seconds"]}
    return {f"Exudyn, steps of {done['dt']:g} s, {key}": value for key, value in found.items()}


def measure(long: bool = False) -> dict[str, Any]:
    """Errors, residuals and times of all scenes."""
    scenes = {
        "box on a slope": slope(),
        f"stack of {50 if long else 20}": stack(50 if long else 20),
        "spinning top": top(),
        "dominoes": dominoes(),
        f"pit of {200 if long else 50} balls": pit(200, 2.0) if long else pit(50, 0.5),
    }
    figures: dict[str, Any] = {}
    for name, scene in scenes.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scene.xml"
            path.write_text(scene.text, encoding="utf-8")
            found = _ours(scene, path) | _mujoco(scene, path) | _exudyn(scene)
        figures |= {f"{name}: {key}": value for key, value in found.items()}
    return figures
