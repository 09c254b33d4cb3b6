"""Checkpoint of an episode: its run, the state of plant, sensors and random numbers, as named arrays without pickle."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from panhead.errors import FileError, ModelError
from panhead.explore.environment.episode import Episode
from panhead.explore.environment.episode_start import prepare
from panhead.explore.environment.plant import Plant
from panhead.explore.environment.task import ControlTask
from panhead.files import parse
from panhead.files.atomic_files import write_atomic
from panhead.runs.description import Run

_PLANT = "plant."


def pack_episode(episode: Episode, plant: Plant) -> dict[str, np.ndarray]:
    """An episode in progress as arrays; text is JSON."""
    of = lambda rows, width: np.array(rows).reshape(-1, width)
    heads = len(plant.model.names)
    found = {_PLANT + name: value for name, value in plant.save().items()}
    return found | {
        "task": np.array(_text(episode.task)),
        "run": np.array(_text(plant.model.run)),
        "random": np.array(json.dumps(episode.rng.bit_generator.state)),
        "done": np.array(episode.done),
        "value": np.array(episode.value),
        "total": np.array(episode.total),
        "values": np.array(episode.values, dtype=float),
        "history": of(episode.history, heads),
        "waiting": of(episode.waiting, len(episode.task.sensors.signals)),
    }


def unpack_episode(state: Mapping[str, np.ndarray], task: ControlTask) -> tuple[Episode, Plant]:
    """Episode and plant of a checkpoint; ModelError if it belongs to another task."""
    try:
        if str(state["task"]) != _text(task):
            raise ModelError("checkpoint: it belongs to another task; restore it in an environment of the same task")
        run = parse.build(Run, json.loads(str(state["run"])), source="checkpoint")
        prepared = prepare(run, task)
        plant = prepared.plant()
        plant.restore({name[len(_PLANT) :]: x for name, x in state.items() if name.startswith(_PLANT)})
        episode = Episode(task, prepared, _generator(json.loads(str(state["random"]))))
        episode.done, episode.value, episode.total = int(state["done"]), float(state["value"]), float(state["total"])
        episode.values = state["values"].tolist()
        each = prepared.schedule.each
        episode.history = [np.array(part) for part in state["history"].reshape(episode.done, each, -1)]
        episode.waiting.extend(np.array(row) for row in state["waiting"])
    except (KeyError, ValueError, TypeError, IndexError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"checkpoint: it is not one of an episode ({error}); save it again") from None
    return episode, plant


def write_episode(path: Path, state: Mapping[str, np.ndarray]) -> Path:
    """Write a checkpoint; the file appears whole or not at all."""
    memory = io.BytesIO()
    given: dict[str, Any] = dict(state)
    np.savez_compressed(memory, allow_pickle=False, **given)
    return write_atomic(path, memory.getvalue())


def read_episode(path: Path) -> dict[str, np.ndarray]:
    """Read a checkpoint."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise FileError(path, f"cannot be read as a checkpoint of an episode ({error})") from None


def _text(description: Any) -> str:
    return json.dumps(parse.to_plain(description), sort_keys=True, ensure_ascii=False)


def _generator(state: dict[str, Any]) -> np.random.Generator:
    known = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM, "Philox": np.random.Philox}
    bits = known[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)
