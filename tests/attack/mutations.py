"""Shipped files, changed as haste or malice would: each is read, resolved and strung, or refused in our words."""

import copy
import functools
import random
import re
import resource
import signal
import sys
import tomllib
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tomli_w

from panhead.assess import assess, limits
from panhead.errors import PanheadError
from panhead.files import library
from panhead.railway.line.line_files import read_line
from panhead.railway.line.strung_line import string
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.railway.vehicle.profiles import read_profile
from panhead.railway.vehicle.rail_irregularities import read_spectrum
from panhead.railway.vehicle.vehicle_description import read_vehicle
from panhead.runs import scenarios
from panhead.runs.description import OnTrain
from panhead.runs.resolve import resolve

LONGEST = 60  # seconds of processor time for one file; the first may have to compile a kernel
MEMORY = 6 << 30  # bytes of address space: what a size that lies asks for is refused, not swapped


class Reader(NamedTuple):
    """What reads a kind of file, in two parts: the door, which parses and validates, and what is done beyond it."""

    door: Callable[[str], Any]  #: the frozen description, or a refusal
    use: Callable[[Any], None]  #: the first that is computed with it


def strung(line: Any) -> None:
    """The first tension length of a line in its static shape."""
    made = string(line)
    made.spans(made.layout.pieces[0], element_length=5.0)


def resolved(scenario: Any) -> None:
    """A scenario as it is just before its run begins."""
    if scenario.kind.name != "run":
        nothing_more(scenario)
    run = scenario.description
    runs = [run.variant(v) for v in run.variants] or [run]
    strung(resolve(runs[0]).line)


def carried(pantograph: Any) -> None:
    """A pantograph under a line, just before its run begins."""
    resolve(replace(_usual(), train=(OnTrain(pantograph=pantograph),)))


def judged(edition: Any) -> None:
    """A short force by limits."""
    times = 5e-3 * np.arange(400)
    assert assess(150.0 + 30.0 * np.sin(10.0 * times), times, 60.0, edition=limits.to_json(edition))


@functools.cache
def _usual() -> Any:
    return scenarios.read("en50318-300").description


class NothingMoreError(Exception):
    """Beyond the door there is only what takes too long: rides of vehicles, mechanisms to be derived and compiled."""


def nothing_more(description: Any) -> None:
    """Such a description does not count as beyond the door."""
    raise NothingMoreError


FOLDERS: dict[str, Reader] = {
    "lines": Reader(read_line, strung),
    "pantographs": Reader(read_pantograph, carried),
    "linkages": Reader(read_pantograph, carried),
    "vehicles": Reader(read_vehicle, nothing_more),
    "profiles": Reader(read_profile, nothing_more),
    "irregularities": Reader(read_spectrum, nothing_more),
    "limits": Reader(limits.read, judged),
}


@functools.cache
def originals() -> tuple[tuple[Path, Reader], ...]:
    """Every shipped file with what reads it."""
    parts = [(path, read) for folder, read in FOLDERS.items() for path in library.shipped(folder).values()]
    return (*parts, *((path, Reader(scenarios.read, resolved)) for path in scenarios.shipped().values()))


VALUES: tuple[Any, ...] = (
    *(float("nan"), float("inf"), -1.0, 0, 0.0, -0.0, 1e-300, 1e300, 2_000_000_000, 2**63, 10**400, 1e9, 1e-9, 1e17),
    *(True, False, "", " ", "x", "31,5 kN", "5,08 m", "20 000 N", "20 MM", "nan", "1e999 m", "3 m", "2 kN", "10 s"),
    *("1e308 km", "1e300 N"),
    *("99999999999**9999999999 s", "3 " + "k" * 100_000, "/dev/zero", "../x", "a\x00b", "\x1b[31m", "[/x]", "🚆"),
    *("%s%n", "{0}", "line.toml", "result.nc", "en50318-2002", "cx", "s1-coach", "run", "motion", "linear", "cables"),
    *([], {}, [[]], [{}], [0, 1], ["a", "b"], [1.0] * 2000, {"a": 1}, {"0": {"a": 1}}, [["0 s", "1 m"]]),
    [[0, 0], [0, 0]],
)  # fmt: skip


def nested(depth: int) -> Any:
    made: Any = 1
    for _ in range(depth):
        made = [made] if depth % 2 else {"a": made}
    return made


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of plain data."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from places(tree[key])


def change_tree(tree: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Plain data with one to three things wrong in it."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = list(places(tree))
        if not found:
            break
        where, key = rng.choice(found)
        _change(where, key, found, rng)
    return tree


def _change(where: Any, key: Any, found: list[tuple[Any, Any]], rng: random.Random) -> None:
    way, value = rng.randrange(9), where[key]
    if way == 0:
        del where[key]
    elif way == 1:
        where[key] = [value] * rng.choice((1, 2, 50))
    elif way == 2 and isinstance(where, dict):
        where[rng.choice((key + "s", key[:-1], key.upper(), "", "a.b", "extra"))] = where.pop(key)
    elif way == 3:
        other, name = rng.choice(found)
        where[key] = copy.deepcopy(other[name])
    elif way == 4 and isinstance(value, int | float):
        where[key] = max(min(value, 10**280), -(10**280)) * rng.choice((-1, 1e-6, 1e-3, 0.1, 10, 1e3, 1e6, 1e12))
    elif way == 5 and isinstance(value, str):
        where[key] = rng.choice((value[:-1], value + value, value.replace(".", ","), value.upper(), f"-{value}"))
    elif way == 6:
        where[key] = nested(rng.choice((50, 51)))
    else:
        where[key] = copy.deepcopy(rng.choice(VALUES))


def slip_tree(tree: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Plain data with one to three numbers slipped: a digit, a sign, a unit, one more or one less."""
    tree = copy.deepcopy(tree)
    numbers = [(where, key) for where, key in places(tree) if _slipped(where[key], 1.0) is not None]
    for where, key in rng.sample(numbers, min(len(numbers), rng.choice((1, 1, 2, 3)))):
        value = where[key]
        if isinstance(value, int) and rng.random() < 0.5:
            where[key] = value + rng.choice((-1, 1))
        else:
            where[key] = _slipped(value, rng.choice((-1.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 10.0, 1e3)))
    return tree


def _slipped(value: Any, factor: float) -> Any:
    """A number, or the number of a quantity, times a factor; None for what holds none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value * factor if isinstance(value, float) else round(value * factor)
    found = re.fullmatch(r"([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)( .*)", value) if isinstance(value, str) else None
    return f"{float(found[1]) * factor:.12g}{found[2]}" if found else None


def change_bytes(text: bytes, rng: random.Random) -> bytes:
    """A file as a slip of the hand, an editor or a broken disk leaves it."""
    way, at = rng.randrange(9), rng.randrange(len(text))
    lines = text.split(b"\n")
    row = rng.randrange(len(lines))
    if way == 0:
        return text[:at]
    if way == 1:
        return text[:at] + bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 400)))) + text[at:]
    if way == 2:
        return b"\n".join(lines[:row] + lines[row + 1 :])
    if way == 3:
        return b"\n".join([*lines[:row], lines[row], *lines[row:]])
    if way == 4:
        return text[:at] + rng.choice(b'"[]{}=.,#\n-+_'.split(b"|")) + text[at + 1 :]
    if way == 5:
        return b"\n".join([*lines[:row], b"x = " + b"9" * 4301, *lines[row:]])
    if way == 6:
        return b"\n".join(
            [*lines[:row], b"x = " + rng.choice((b"[" * 10_000, b"{a=" * 10_000, b"a." * 5000 + b"b")), *lines[row:]]
        )
    if way == 7:
        return rng.choice((b"\xef\xbb\xbf" + text, text.decode().encode("utf-16"), text.replace(b"\n", b"\r\n")))
    return bytes(c ^ (1 << rng.randrange(8)) if rng.random() < 0.002 else c for c in text)


@functools.cache
def _tree(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def mutant(seed: int) -> tuple[Path, bytes, Reader]:
    """The mutation of this number: the file it comes from, its text, what reads it."""
    rng = random.Random(seed)
    path, read = rng.choice(originals())
    text = path.read_bytes()
    way = rng.random()
    if way < 0.15:
        return path, change_bytes(text, rng), read
    tree = (slip_tree if way < 0.7 else change_tree)(_tree(path), rng)
    return path, tomli_w.dumps(tree).encode(errors="replace"), read


@dataclass(frozen=True)
class Attempt:
    """What became of a mutation."""

    what: str  #: it was, by number and file
    failure: str = ""  #: how it failed; "": it was used, or refused in our words
    beyond: bool = False  #: whether it came through the door: parsed, validated, and handed on to what computes with it


@contextmanager
def bounded() -> Iterator[None]:
    """Inside, memory is limited, warnings are dropped and floating-point noise is nobody's."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    before = signal.signal(signal.SIGPROF, _too_long)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class TooLong(BaseException):
    """Reading took too long."""


def _too_long(*_: object) -> None:
    raise TooLong


def attempt(seed: int, folder: Path) -> Attempt:
    """Read one mutation, and begin to compute with what comes through the door."""
    original, text, read = mutant(seed)
    path = folder / original.name
    path.write_bytes(text)
    return attempted(f"mutation {seed} of {original.name}", lambda: read.door(str(path)), read.use)


def attempted(what: str, door: Callable[[], Any], use: Callable[[Any], None]) -> Attempt:
    """Go through the door and beyond."""
    beyond = False
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        found = door()
        beyond = True
        use(found)
    except NothingMoreError:
        return Attempt(what)
    except PanheadError:
        return Attempt(what, beyond=beyond)
    except TooLong:
        return Attempt(what, f"took more than {LONGEST} s, at " + _last(sys.exc_info()[2]), beyond)
    except BaseException as error:  # noqa: BLE001 everything else is what is looked for
        return Attempt(what, f"{type(error).__name__}: {str(error)[:100]} at {_last(error.__traceback__)}", beyond)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return Attempt(what, beyond=beyond)


def _last(trace: Any) -> str:
    ours = [f for f in traceback.extract_tb(trace) if "panhead" in f.filename] or traceback.extract_tb(trace)
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
