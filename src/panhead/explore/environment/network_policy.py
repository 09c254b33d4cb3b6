"""Policy of a trained network: a few dense layers over the last observations, read from a file of plain numbers.

    y = (observation k − n + 1, …, observation k),   x₁ = tanh(W₁ y + b₁),  …,   a = W_n x + b_n, clipped to [−1, 1]

Observations before the first are zero. The file is JSON: ``signals``, ``stack`` (n), ``layers`` (``weights``, ``bias``)
and ``about``, which says how it was trained. No learning library is needed to use it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, final

import numpy as np

from panhead.errors import FileError, ModelError
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.policies import Act, require_force
from panhead.explore.environment.task import ControlTask
from panhead.files.atomic_files import write_atomic

Layer = tuple[np.ndarray, np.ndarray]  #: weights (outputs, inputs) and bias (outputs,)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NetworkPolicy:
    """A network that maps the last observations to an action."""

    signals: tuple[str, ...]  #: that it was trained with, in order
    stack: int  #: observations it looks at
    layers: tuple[Layer, ...]
    about: str = ""  #: how it was trained

    def __post_init__(self) -> None:
        width = self.stack * len(self.signals)
        for k, (weights, bias) in enumerate(self.layers, 1):
            if weights.shape != (bias.size, width) or not (np.isfinite(weights).all() and np.isfinite(bias).all()):
                raise ModelError(
                    f"NetworkPolicy: layer {k} has weights of shape {weights.shape} and {bias.size} biases; they must "
                    f"be finite, for {width} inputs"
                )
            width = bias.size
        if width != 1 or not self.layers:
            raise ModelError(f"NetworkPolicy: the last layer must give one action, it gives {width}")

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        require_force(task)
        if task.sensors.signals != self.signals or task.sensors.state:
            raise ModelError(
                f"NetworkPolicy: it was trained with the signals {', '.join(self.signals)}, and this task observes "
                f"{', '.join(task.sensors.signals)}; use the former"
            )
        last = deque([np.zeros(len(self.signals))] * self.stack, maxlen=self.stack)

        def act(seen: np.ndarray) -> float:
            last.append(np.asarray(seen, dtype=float))
            return float(np.clip(self.answer(np.concatenate(last)), -1.0, 1.0))

        return act

    def answer(self, y: np.ndarray) -> float:
        """Action before it is clipped; y (stack · signals,), the oldest observation first."""
        for weights, bias in self.layers[:-1]:
            y = np.tanh(weights @ y + bias)
        weights, bias = self.layers[-1]
        return float((weights @ y + bias)[0])

    def write(self, path: Path) -> Path:
        """Write the network to a file, numbers to six digits."""
        rounded = lambda x: [float(f"{v:.6g}") for v in x]
        layers = [{"weights": [rounded(row) for row in w], "bias": rounded(b)} for w, b in self.layers]
        raw = {"about": self.about, "signals": list(self.signals), "stack": self.stack, "layers": layers}
        return write_atomic(path, json.dumps(raw).encode())


def read_network(path: Path) -> NetworkPolicy:
    """Read a network; FileError naming what is wrong."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return NetworkPolicy(
            signals=tuple(map(str, raw["signals"])),
            stack=int(raw["stack"]),
            layers=tuple(_layers(raw["layers"])),
            about=str(raw.get("about", "")),
        )
    except (OSError, ValueError, KeyError, TypeError, ModelError) as error:
        raise FileError(path, f"cannot be read as a network policy ({error})") from None


def _layers(raw: Sequence[dict[str, Any]]) -> list[Layer]:
    return [(np.array(each["weights"], dtype=float), np.array(each["bias"], dtype=float)) for each in raw]


@lru_cache(4)
def shipped_network(name: str) -> NetworkPolicy:
    """A network of data/policies."""
    return read_network(Path(str(resources.files("panhead"))) / "data" / "policies" / f"{name}.json")
