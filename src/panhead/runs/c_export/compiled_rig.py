"""An exported rig in Python: compiled by whatever C compiler there is, called by its own functions."""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import numpy as np

from panhead.errors import ModelError, SimulationError, alternatives
from panhead.runs.c_export.interface_sources import PANTOGRAPH
from panhead.runs.linear.step.step_arrays import ENERGIES, LEDGER

#: asked of every compiler: C99 and nothing else, without a warning
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")
_OF_LINE = ("force", "height", "rate", "lateral", "strip", "port_work")
_OF_STRIPS = ("height", "rate", "acceleration", "port_work")
#: options with which the C gives the bits of the compiled run: the same operations fused, the same exp and tanh
EXACT = ("-O2", "-DRIG_SAME_BITS", "-ffp-contract=off", *(("-mfma",) if platform.machine() == "x86_64" else ()))


def compilers() -> dict[str, list[str]]:
    """C compilers of this machine: gcc, clang, and zig if the package ziglang is installed."""
    found = {name: [path] for name in ("gcc", "clang") if (path := shutil.which(name)) is not None}
    if importlib.util.find_spec("ziglang") is not None:
        found["zig"] = [sys.executable, "-m", "ziglang", "cc"]
    return found


def compile_sources(command: Sequence[str], sources: Sequence[Path], target: Path, *options: str) -> Path:
    """Compile C sources to a shared library (.so) or a program; SimulationError with the compiler's words."""
    kind = ["-shared", "-fPIC"] if target.suffix == ".so" else []
    words = [*command, *STRICT, *options, *kind, *map(str, sources), "-lm", "-o", str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SimulationError(f"the C compiler failed: {' '.join(words)}\n{done.stderr[:4000]}")
    return target


@final
class CompiledRig:
    """One interface of an exported rig, compiled and loaded."""

    def __init__(self, folder: Path, interface: str, *options: str, compiler: str = "") -> None:
        there = compilers()
        if not there or (compiler and compiler not in there):
            wanted = compiler or "gcc, clang or zig"
            raise ModelError(f"no C compiler {wanted}; install one, or `pip install ziglang`")
        command = there[compiler] if compiler else next(iter(there.values()))
        alone = interface == PANTOGRAPH
        sources = [folder / f"rig_{interface}.c", *([] if alone else [folder / "line_tables.c"])]
        library = folder / f"rig_{interface}_{len(list(folder.glob('*.so')))}.so"
        self._library = ctypes.CDLL(str(compile_sources(command, sources, library, *(options or ("-O2",)))))
        self.name = interface
        text = (folder / f"rig_{interface}.h").read_text(encoding="utf-8")
        sizes = {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)", text)}
        single = "#define RIG_FLOAT32" in (text if alone else (folder / "line_tables.h").read_text(encoding="utf-8"))
        self.real: Any = ctypes.c_float if single else ctypes.c_double
        program = (folder / f"main_{interface}.c").read_text(encoding="utf-8")
        self.run_steps = int(re.findall(r"#define STEPS (\d+)", program)[0])
        self.heads, self.masses = sizes["HEADS"], sizes["MASSES"]
        self._in, self._out = self._structures()
        size = self._call("size")
        size.restype = ctypes.c_size_t
        self.bytes = int(size())
        self._state = ctypes.create_string_buffer(self.bytes)
        self.start()

    def _call(self, name: str) -> Any:
        return getattr(self._library, f"rig_{self.name}_{name}")

    def _structures(self) -> tuple[Any, Any]:
        heads, real = self.real * self.heads, self.real
        inputs = {
            "closed": [("uplift", real * self.masses)],
            "motion": [("height", heads), ("rate", heads), ("acceleration", heads), ("delay", real)],
            "force": [("force", heads)],
            PANTOGRAPH: [("uplift", real * self.masses), ("force", heads)],
        }[self.name]
        self._answers = _OF_STRIPS if self.name == PANTOGRAPH else _OF_LINE
        answers = [(name, heads) for name in self._answers]
        counted = [] if self.name == PANTOGRAPH else ["slack"]
        given = type("Input", (ctypes.Structure,), {"_fields_": [("position", real), ("speed", real), *inputs]})
        fields = [("time", real), *answers, *((name, ctypes.c_int) for name in [*counted, "flags"])]
        return given(), type("Output", (ctypes.Structure,), {"_fields_": fields})()

    def start(self) -> None:
        """Put the line at rest."""
        self._call("start")(self._state)

    def timetable(self, step: int) -> dict[str, Any]:
        """Inputs of the exported run at a step."""
        self._call("timetable")(step, ctypes.byref(self._in))
        return {name: getattr(self._in, name) for name, _ in self._in._fields_}

    def step(self, **inputs: Any) -> dict[str, Any]:
        """Advance by one step with these inputs, others as they were; the answers by name."""
        for name, value in inputs.items():
            self._set(name, np.atleast_1d(np.asarray(value, dtype=float)))
        self._call("step")(self._state, ctypes.byref(self._in), ctypes.byref(self._out))
        whole = {name: getattr(self._out, name) for name, _ in self._out._fields_}
        return {name: np.array(x[:]) if name in self._answers else x for name, x in whole.items()}

    def _set(self, name: str, values: np.ndarray) -> None:
        known = [each for each, _ in self._in._fields_]
        if name not in known:
            raise ModelError(f"rig {self.name}: there is no input {name!r}; {alternatives(name, known)}")
        field = getattr(self._in, name)
        size = len(field) if isinstance(field, ctypes.Array) else 1
        if values.shape != (size,):
            raise ModelError(f"rig {self.name}: {name} takes {size} number(s), got an array of shape {values.shape}")
        if isinstance(field, ctypes.Array):
            field[:] = values.tolist()
        else:
            setattr(self._in, name, float(values[0]))

    def energy(self) -> dict[str, float]:
        """Energies stored and works done since the start [J]."""
        names = ("stored", *LEDGER) if self.name == PANTOGRAPH else (*ENERGIES, *LEDGER)
        values = (self.real * len(names))()
        self._call("energy")(self._state, values)
        return dict(zip(names, values, strict=True))

    def port_work(self) -> np.ndarray:
        """Work that every strip has done on the line, as the last step answered it [J]."""
        return np.array(self._out.port_work[:])

    def copy_state(self) -> bytes:
        """The whole state; it is one struct without pointers."""
        return bytes(self._state.raw)

    def restore_copy(self, state: bytes) -> None:
        """Restore a state from ``copy_state``."""
        self._state.raw = state
