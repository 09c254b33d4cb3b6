"""Simulated motions inside PyTorch and JAX: the run forward, the discrete adjoint backward.

Both bridges take numbers of the model, initial rates and controls, and return the motion's q and v on the grid, (n + 1,
nq) each. The gradient is that of ``motion_gradient``: exact for the discrete motion, in 2 to 4 runs. Second derivatives
are not offered.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.motion_derivatives import SimulatedMotion
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.errors import ModelError


class MotionInputs(NamedTuple):
    """Arguments of a bridged motion."""

    parameters: np.ndarray  # (names,)
    v: np.ndarray  # (nq,) initial rates
    u: np.ndarray  # (n + 1, nu)


def motion_at(motion: SimulatedMotion, names: Sequence[str], inputs: MotionInputs) -> SimulatedMotion:
    """The motion with other numbers, initial rates and controls."""
    values = {name: float(x) for name, x in zip(names, inputs.parameters, strict=True)}
    start = State(q=motion.start.q, v=np.asarray(inputs.v, dtype=float), t=motion.start.t)
    system = motion.system.with_parameters(**values)
    return replace(motion, system=system, start=start, u=np.asarray(inputs.u, dtype=float))


def pull_back(
    motion: SimulatedMotion, names: Sequence[str], found: Trajectory, bars: tuple[np.ndarray, np.ndarray]
) -> MotionInputs:
    """Gradient by the inputs for cotangents of q and v."""
    from panhead.engine.methods.alpha_adjoint import motion_gradient

    gradient = motion_gradient(motion.system, found, {"q": bars[0], "v": bars[1]}, motion.method)
    by_names = np.array([gradient.parameters[name] for name in names])
    return MotionInputs(by_names, gradient.start_v, gradient.controls)


def _check_parameters(motion: SimulatedMotion, names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in motion.system.parameters]
    if unknown:
        raise ModelError(f"{motion.system.name!r} has no parameter {unknown[0]!r}")
    by_number = motion.system.constraint_p(motion.start.t, motion.start.q)
    column = {name: k for k, name in enumerate(motion.system.parameters)}
    moves = [name for name in names if np.abs(dense(by_number[:, [column[name]]])).max(initial=0.0) > 0.0]
    if moves:
        raise ModelError(
            f"{moves[0]!r} moves a constraint, so the start moves with it; use motion_gradient or SimulatedMotion.vjp, "
            "which carry the start along"
        )


def torch_motion(motion: SimulatedMotion, names: Sequence[str] = ()) -> Callable[[Any, Any, Any], tuple[Any, Any]]:
    """A function (parameters, v, u) → (q, v) of PyTorch tensors (float64), differentiable by ``backward``.

    ``names`` are the numbers of the model in the order of the first argument. Needs the extra ``torch``.
    """
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        raise ModelError("torch_motion needs PyTorch: pip install panhead[torch]") from None
    _check_parameters(motion, names)

    class _Motion(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> tuple[Any, Any]:
            ctx.motion = motion_at(motion, names, MotionInputs(*(x.detach().double().numpy() for x in inputs)))
            ctx.found = ctx.motion.run()
            return torch.from_numpy(ctx.found.q.copy()), torch.from_numpy(ctx.found.v.copy())

        @staticmethod
        def backward(ctx: Any, *bars: Any) -> tuple[Any, ...]:
            q, v = (x.double().numpy() for x in bars)
            return tuple(torch.from_numpy(x.copy()) for x in pull_back(ctx.motion, names, ctx.found, (q, v)))

    return cast("Callable[[Any, Any, Any], tuple[Any, Any]]", _Motion.apply)


def jax_motion(motion: SimulatedMotion, names: Sequence[str] = ()) -> Callable[[Any, Any, Any], tuple[Any, Any]]:
    """A function (parameters, v, u) → (q, v) of JAX arrays, differentiable by ``jax.grad`` and ``jax.vjp``.

    The run is a callback to the host: it may stand inside ``jit``, and takes 64-bit numbers
    (``jax.config.update("jax_enable_x64", True)``). Needs the extra ``jax``.
    """
    try:
        jax: Any = importlib.import_module("jax")
    except ImportError:
        raise ModelError("jax_motion needs JAX: pip install panhead[jax]") from None
    if not jax.config.jax_enable_x64:
        raise ModelError('jax_motion needs 64-bit numbers: jax.config.update("jax_enable_x64", True)')
    _check_parameters(motion, names)
    nq, nu, steps = len(motion.system.coordinates), len(motion.system.controls), round(motion.duration / motion.dt)
    shape = lambda *size: jax.ShapeDtypeStruct(size, np.float64)
    series = (shape(steps + 1, nq), shape(steps + 1, nq))
    inputs_shape = (shape(len(names)), shape(nq), shape(steps + 1, nu))

    def run(*inputs: Any) -> tuple[np.ndarray, np.ndarray]:
        found = motion_at(motion, names, MotionInputs(*(np.asarray(x) for x in inputs))).run()
        return found.q, found.v

    def back(*given: Any) -> tuple[np.ndarray, ...]:
        given = tuple(np.asarray(x) for x in given)
        here = motion_at(motion, names, MotionInputs(*given[:3]))
        return tuple(pull_back(here, names, here.run(), (given[3], given[4])))

    def on_the_host(parameters: Any, v: Any, u: Any) -> Any:
        return jax.pure_callback(run, series, parameters, v, u)

    moved: Any = jax.custom_vjp(on_the_host)

    def forward(*inputs: Any) -> Any:
        return moved(*inputs), inputs

    def backward(inputs: Any, bars: Any) -> Any:
        return jax.pure_callback(back, inputs_shape, *inputs, *bars)

    moved.defvjp(forward, backward)
    return cast("Callable[[Any, Any, Any], tuple[Any, Any]]", moved)
