"""Files of numbers, damaged: structures as NPZ and Matrix Market, units' descriptions, results as netCDF."""

import functools
import io
import random
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.io
from engine.structures.builders import beam

from panhead.engine.structures import from_matrix_market, from_npz, to_npz
from panhead.runs.fmi.model_description import read_model_description


@functools.cache
def sound_npz() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        to_npz(Path(folder) / "beam.npz", beam(elements=2))
        return (Path(folder) / "beam.npz").read_bytes()


def _entry(value: np.ndarray, rng: random.Random) -> Any:
    """One array of a file, made wrong."""
    way = rng.randrange(9)
    if way == 0:
        return value.astype(
            rng.choice(["U8", "S4", "complex128", "int8", "bool", "datetime64[s]", "float16", "uint64"])
        )
    if way == 1 and value.size:
        changed = value.astype(float) if rng.random() < 0.5 else value.copy()
        changed.flat[rng.randrange(value.size)] = rng.choice((1e9, -1, 0, 77)) if changed.dtype != float else np.nan
        return changed
    if way == 2:
        return value[: rng.randrange(len(value) + 1)]
    if way == 3:
        return np.array(rng.choice((np.nan, 0, "x", -1)))
    if way == 4:
        return value[..., None]
    if way == 5:
        return np.empty((0, *value.shape[1:]), value.dtype)
    if way == 6:
        return -value if value.dtype.kind in "fi" else value[::-1]
    if way == 7:
        return np.concatenate([value, value])
    return np.full_like(value, rng.choice((0, 1, 2**31 - 1)))


def wrong_npz(rng: random.Random) -> bytes:
    """A structure with an entry wrong, left out, too large by its own header, or with bytes lost."""
    text = sound_npz()
    if rng.random() < 0.3:
        return struck(text, rng)
    with np.load(io.BytesIO(text)) as file:
        entries = {key: file[key] for key in file.files}
    name = rng.choice(list(entries))
    if rng.random() < 0.15:
        del entries[name]
    else:
        entries[name] = _entry(entries[name], rng)
    out = io.BytesIO()
    np.savez(out, **entries)
    if rng.random() < 0.2:
        return _lying(out.getvalue(), rng)
    return out.getvalue()


def _lying(text: bytes, rng: random.Random) -> bytes:
    """The same archive with a header that claims more than there is: up to 7 TiB."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(text)) as old, zipfile.ZipFile(out, "w") as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            if name == chosen:
                head = io.BytesIO()
                count = rng.choice((10**6, 10**9, 10**12, 2**62))
                np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
                content = head.getvalue() + content[-80:]
            new.writestr(name, content)
    return out.getvalue()


def struck(text: bytes, rng: random.Random) -> bytes:
    """Bytes cut off, or overwritten here and there."""
    if rng.random() < 0.3:
        return text[: rng.randrange(len(text))]
    changed = bytearray(text)
    for _ in range(rng.choice((1, 1, 10, 100))):
        changed[rng.randrange(len(text))] = rng.randrange(256)
    return bytes(changed)


@functools.cache
def sound_market() -> dict[str, str]:
    body, found = beam(elements=2), {}
    M = body.consistent_mass if body.consistent_mass is not None else body.mass_matrix()
    for name, matrix in (("points", body.points), ("stiffness", body.stiffness), ("mass", M)):
        out = io.BytesIO()
        scipy.io.mmwrite(out, matrix)
        found[name] = out.getvalue().decode()
    return found


WORDS = ("nan", "inf", "-1", "0", "1e999", "x", "", "7" * 5000, "1000000000000", "999999999 999999999 1", "%%", "\x00")


def wrong_market(rng: random.Random) -> dict[str, str]:
    """Three files, one of them with words exchanged, lines lost, or a head of another kind."""
    files = dict(sound_market())
    name = rng.choice(list(files))
    lines = files[name].splitlines()
    for _ in range(rng.choice((1, 1, 3))):
        row = rng.choice((0, 1, 2, 2, rng.randrange(len(lines))))
        words = lines[row].split(" ")
        words[rng.randrange(len(words))] = rng.choice(
            (*WORDS, "complex", "pattern", "array", "integer", "skew-symmetric")
        )
        lines[row] = " ".join(words) if rng.random() < 0.9 else ""
    files[name] = "\n".join(lines if rng.random() < 0.9 else lines[: rng.randrange(len(lines))])
    return files


DESCRIPTION = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
<CoSimulation modelIdentifier="m" canGetAndSetFMUstate="true"/>
<UnitDefinitions><Unit name="km/h"><BaseUnit factor="0.2777" m="1" s="-1"/></Unit></UnitDefinitions>
<ModelVariables><ScalarVariable name="height" valueReference="1" causality="input">
<Real unit="m" start="0.5"/></ScalarVariable>
<ScalarVariable name="force" valueReference="2" causality="output"><Real unit="N"/></ScalarVariable></ModelVariables>
</fmiModelDescription>
"""


def wrong_unit(rng: random.Random) -> bytes:
    """A unit whose description has values exchanged, tags lost or bytes struck."""
    text = DESCRIPTION
    values = text.split('"')
    at = rng.randrange(1, len(values), 2)
    values[at] = rng.choice(
        ("9" * 5000, "-1", "", "x", "../../m", "1e999", "²", "&#0;", "nan", "٣" * 30, "a" * 100_000)
    )
    content = '"'.join(values).encode()
    made = zipped(struck(content, rng) if rng.random() < 0.3 else content)
    return struck(made, rng) if rng.random() < 0.3 else made


def zipped(description: bytes | str) -> bytes:
    """A unit that is nothing but its description."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("modelDescription.xml", description)
    return out.getvalue()


def wrong_result(sound: Path, path: Path, rng: random.Random) -> None:
    """A copy of a result with an attribute or a variable damaged, or bytes of the file."""
    text = sound.read_bytes()
    if rng.random() < 0.4:
        path.write_bytes(struck(text, rng))
        return
    path.write_bytes(text)
    with warnings.catch_warnings(), h5py.File(path, "r+") as file:
        warnings.simplefilter("ignore")
        if rng.random() < 0.5:
            name = rng.choice(list(file.attrs))
            del file.attrs[name]
            if rng.random() < 0.8:
                file.attrs[name] = rng.choice(
                    ("", "{", "[]", "null", "3", '"x"', '{"a": NaN}', 3.0, [1, 2], "[" * 5000)
                )
            return
        name = rng.choice(list(file))
        if rng.random() < 0.6:
            del file[name]
        else:
            data = file[name]
            if data.shape and data.dtype.kind == "f":
                data[...] = rng.choice((np.nan, np.inf, -1e300, 0.0))


def read_npz(text: bytes, folder: Path) -> None:
    path = folder / "body.npz"
    path.write_bytes(text)
    from_npz(path)


def read_market(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / f"{name}.mtx").write_text(text)
    from_matrix_market(**{name: folder / f"{name}.mtx" for name in files})


def read_unit(text: bytes, folder: Path) -> None:
    path = folder / "unit.fmu"
    path.write_bytes(text)
    read_model_description(path)
