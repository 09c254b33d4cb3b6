"""Recompute the table of expected answers: ``python -m tests.oracles.multibody_reference [CASE …]``.

For each case and road: values at the case's times, and per quantity the error of the road itself
(tolerance or step changed), as the largest over the times. Roads: ``own`` (NumPy and SciPy, minimal
coordinates, adaptive eighth order), ``exudyn`` (generalized-α, extrapolated in the step), ``closed``
(a closed form or a boundary value problem). The cases take minutes each; run them one by one.
"""

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from . import iftomm_a02, pendulum_on_beam, sliding_mass
from . import multibody_models as model

TABLE = Path(__file__).with_name("multibody_reference.json")
DIGITS = 12


def packed(values: dict[str, np.ndarray], errors: dict[str, np.ndarray]) -> dict[str, Any]:
    """{name: {value, error}} with rounded numbers; the error is the largest over time and axes."""
    rounded = lambda x: json.loads(json.dumps(_rounded(np.asarray(x).tolist())))
    return {
        name: {"value": rounded(value), "error": float(f"{np.max(errors[name]):.1e}")} for name, value in values.items()
    }


def _rounded(x: Any) -> Any:
    return [_rounded(v) for v in x] if isinstance(x, list) else float(f"{x:.{DIGITS}g}")


def compared(run: Callable[[float], dict], loose: float, tight: float) -> dict[str, Any]:
    """A road with an adaptive step: the tight run, and its distance from the loose one."""
    a, b = run(loose), run(tight)
    return packed(b, {name: np.abs(b[name] - a[name]) for name in b})


def sliding(p: model.SlidingMass) -> dict[str, Any]:
    out = {"times": list(p.times)}
    out["own"] = compared(lambda rtol: sliding_mass.history(p, rtol=rtol), 1e-8, 1e-10)
    if p.dimension == 2:
        from . import exudyn_cables, exudyn_tools

        run = lambda dt: exudyn_cables.sliding_mass(dt, p)
        out["exudyn"] = packed(*exudyn_tools.extrapolated(run, 1e-3, order=1))
    return out


def four_bars() -> dict[str, Any]:
    from . import exudyn_rigid, exudyn_tools

    out: dict[str, Any] = {}
    for p in model.FOUR_BARS:
        place, speed = iftomm_a02.B0(np.array(p.times), p.n)
        exact = {"B0": place, "B0_dot": speed}
        run = lambda dt, p=p: exudyn_rigid.four_bars(dt, p)
        # with N = 40 its Newton iteration stops below 1 ms, where all rods are in line
        found, error = exudyn_tools.extrapolated(run, 1e-3 if p.n == 2 else 4e-3)
        out[f"N={p.n}"] = {
            "times": list(p.times),
            "closed": packed(exact, {name: np.float64(1e-11) for name in exact}),
            "exudyn": packed(found, error),
        }
    return out


def pendulum() -> dict[str, Any]:
    """End of the run with other numbers, and the energy of the wrong, vertical reaction."""
    p = model.PENDULUM_ON_BEAM
    times = np.linspace(0.0, p.duration, 11)
    names = pendulum_on_beam.columns(p)
    out: dict[str, Any] = {"times": times.tolist()}
    variants = {
        "own": pendulum_on_beam.Model(p),
        "g = 10": pendulum_on_beam.Model(dataclasses.replace(p, gravity=10.0)),
        "vertical reaction only": pendulum_on_beam.Model(p, vertical_only=True),
    }
    for label, beam in variants.items():
        run = lambda rtol, beam=beam: dict(zip(names, pendulum_on_beam.table(beam, times, rtol=rtol).T, strict=True))
        out[label] = compared(run, 1e-8, 1e-10)
    return out


def border_jumps() -> dict[str, Any]:
    """Jumps of the push where the mass crosses from element to element.

    The cable bends within √(EI/T) of the mass: 0.1 m in the case itself, which none of these meshes
    resolves, and 1 m with EI = 2 kN·m², where the jumps vanish as the elements get shorter.
    """
    out: dict[str, Any] = {}
    for EI in (model.SLIDING_PLANAR.EI, 2e3):
        for n in (10, 20, 40):
            p = dataclasses.replace(model.SLIDING_PLANAR, elements=n, EI=EI)
            run = lambda rtol, p=p: dict(
                zip(("border", "jump"), np.array(sliding_mass.force_jumps(p, 0.6, rtol=rtol)).T, strict=True)
            )
            out[f"EI = {EI:g}, {n} elements"] = compared(run, 1e-5, 1e-6)
    return out


def both(own: Callable[[float], dict], exudyn: Callable[[float], dict], times: Any, dt: float) -> dict[str, Any]:
    """A case by the own road at two tolerances and by Exudyn at three steps from dt down."""
    from . import exudyn_tools

    return {
        "times": list(times),
        "own": compared(own, 1e-9, 1e-11),
        "exudyn": packed(*exudyn_tools.extrapolated(exudyn, dt)),
    }


def cantilever() -> dict[str, Any]:
    from . import ancf_cases, exudyn_cables

    p = model.CANTILEVER
    tip, rough = ancf_cases.elastica_tip(p), ancf_cases.elastica_tip(p, 1e-9)
    out: dict[str, Any] = {"closed": packed({"tip": tip}, {"tip": np.abs(tip - rough)})}
    for n in p.meshes:
        own = ancf_cases.cantilever_tip(p, n)
        gap = {"tip": np.abs(own - exudyn_cables.cantilever_tip(p, n))}
        out[f"{n} elements"] = packed({"tip": own}, gap)
    return out


def pendulum_of_rubber() -> dict[str, Any]:
    from . import ancf_cases, exudyn_cables

    p = model.FLEXIBLE_PENDULUM
    own = lambda rtol: ancf_cases.pendulum(p, 10 * rtol)
    return both(own, lambda dt: exudyn_cables.pendulum(dt, p), p.times, 5e-4)


def elastic_rod() -> dict[str, Any]:
    from . import ancf_cases, exudyn_cables

    p = model.SLIDER_CRANK
    own = lambda rtol: ancf_cases.slider_crank(p, 10 * rtol)
    return both(own, lambda dt: exudyn_cables.slider_crank(dt, p), p.times, 1e-4)


def chains() -> dict[str, Any]:
    from . import exudyn_rigid, spatial_rigid

    return {
        f"{p.links} links": both(
            lambda rtol, p=p: spatial_rigid.chain(p, rtol), lambda dt, p=p: exudyn_rigid.chain(dt, p), p.times, 5e-4
        )
        for p in model.CHAINS
    }


def spatial_slider_cranks() -> dict[str, Any]:
    from . import exudyn_rigid, spatial_rigid

    return {
        p.joints: both(
            lambda rtol, p=p: spatial_rigid.slider_crank(p, rtol),
            lambda dt, p=p: exudyn_rigid.slider_crank(dt, p),
            p.times,
            2.5e-4,
        )
        for p in model.SPATIAL_SLIDER_CRANKS
    }


def hooke_shaft() -> dict[str, Any]:
    from . import exudyn_rigid, spatial_rigid

    p = model.HOOKE_SHAFT
    own = lambda rtol: spatial_rigid.hooke(p, rtol)
    return both(own, lambda dt: exudyn_rigid.hooke(dt, p), p.times, 5e-4)


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "sliding-mass-planar": lambda: sliding(model.SLIDING_PLANAR),
    "sliding-mass-spatial": lambda: sliding(model.SLIDING_SPATIAL),
    "pendulum-on-beam": pendulum,
    "four-bar-n": four_bars,
    "sliding-mass-borders": border_jumps,
    "ancf-cantilever": cantilever,
    "flexible-pendulum": pendulum_of_rubber,
    "slider-crank": elastic_rod,
    "chain": chains,
    "spatial-slider-crank": spatial_slider_cranks,
    "hooke-shaft": hooke_shaft,
}


def readable(x: Any, indent: str = "") -> str:
    """JSON with one line for each quantity."""
    if not isinstance(x, dict) or "value" in x:
        return json.dumps(x)
    deeper = indent + " "
    lines = [f"{deeper}{json.dumps(key)}: {readable(value, deeper)}" for key, value in x.items()]
    return "{\n" + ",\n".join(lines) + "\n" + indent + "}"


def stored() -> dict[str, Any]:
    """The table on file."""
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


def main(names: list[str]) -> None:
    for name in names or CASES:
        found = CASES[name]()
        table = stored() | {name: found}
        TABLE.write_text(readable(table) + "\n", encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
