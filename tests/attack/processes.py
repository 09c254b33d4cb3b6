"""The command under attack from outside: out of room, raced, in poor surroundings.

Every function gives (tried, what failed). A run that ends well must equal the undisturbed one bit for bit; one that
does not ends with a message, never with a traceback or a signal.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from attack import damage

Found = tuple[int, list[str]]
SCENES = Path(__file__).parent / "scenes"
HELD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


class Field:
    """A folder with a description in it, and the result of the undisturbed run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "own run.toml"
        self.file.write_text((SCENES / "linear.toml").read_text())
        for name in ("first", "sound"):  # the first may have to compile
            begin = time.monotonic()
            done = self.call(folder / name)
            self.duration = time.monotonic() - begin
            if done.returncode:
                raise SystemExit(f"the undisturbed run failed:\n{done.stderr}")
        self.sound = values(folder / "sound")
        if not same(values(folder / "first"), self.sound):
            raise SystemExit("two undisturbed runs differ")

    def start(self, out: Path, *more: str, env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "panhead", "run", str(self.file), "--out", str(out), *more]
        environment = os.environ | HELD if env is None else env
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                errors="replace", **options)  # fmt: skip

    def call(self, out: Path, *more: str, **options: Any) -> subprocess.CompletedProcess[str]:
        process = self.start(out, *more, **options)
        said, complained = process.communicate()
        return subprocess.CompletedProcess([], process.returncode, said, complained)

    def judged(self, what: str, done: subprocess.CompletedProcess[str], out: Path, *, must: bool = True) -> list[str]:
        """What is wrong with how a process ended; ``must``: it has to have ended well."""
        if done.returncode < 0 or "Traceback" in done.stderr or "Exception ignored" in done.stderr:
            return [f"{what}: ended with {done.returncode}: {done.stderr[-300:]}"]
        if done.returncode:
            silent = not done.stderr.strip()
            return [f"{what}: ended with {done.returncode}: {done.stderr[-300:]}"] if must or silent else []
        return [f"{what}: another result"] if not same(values(out), self.sound) else []


def values(out: Path, file: str = "") -> dict[str, np.ndarray]:
    """Every number of a result, or of a study's index; ``file``: of that one."""
    path = next(p for p in (out / (file or "result.nc"), out / "index.nc") if p.exists())
    with xr.open_dataset(path, engine="h5netcdf") as result:
        return {str(name): x.to_numpy() for name, x in result.variables.items()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(a[k].tobytes() == b[k].tobytes() or (a[k] == b[k]).all() for k in a)


def full_disk(field: Field, sizes: Iterable[int]) -> Found:
    """A file system of so many bytes fills during the run: a message, and nothing half-written that looks whole."""
    tried, failed = 0, []
    for size in sizes:
        out = field.folder / f"disk{size}"
        out.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(out)]
        if subprocess.run(mount, check=False, capture_output=True).returncode:
            return 0, []  # that takes rights which not everyone has
        try:
            done = field.call(out / "out")
            failed += field.judged(f"disk of {size} bytes", done, out / "out", must=False)
            tried += 1
        finally:
            subprocess.run(["umount", out], check=True)
    return tried, failed


def two_in_one_folder(field: Field, count: int) -> Found:
    """The second is refused, or comes after the first; the result is that of one of them."""
    failed = []
    for k in range(count):
        out = field.folder / f"shared{k}"
        pair = [field.start(out), field.start(out, "--set", "speed=250 km/h")]
        done = [subprocess.CompletedProcess([], p.returncode, *said) for p in pair for said in (p.communicate(),)]
        for one in done:
            if one.returncode not in (0, 2) or "Traceback" in one.stderr:
                failed.append(f"two runs in one folder: {one.returncode}: {one.stderr[-300:]}")
        if all(one.returncode for one in done):
            failed.append("two runs in one folder: both refused")
        if done[0].returncode == 0 and done[1].returncode and not same(values(out), field.sound):
            failed.append("two runs in one folder: another result")
    return count, failed


def two_studies_in_one_folder(field: Field, count: int) -> Found:
    """A study is edited and started again while the first is at work: no sample has another study's numbers.

    The second is refused, or comes after the first. Every sample there is in the shared folder has the bytes of the
    one that its own study computes alone.
    """
    names, failed = ("one", "other"), []
    for name, speed in zip(names, ("300 km/h", "250 km/h"), strict=True):
        text = (SCENES / "study.toml").read_text().replace("linear.toml", str(field.file))
        changed = text + f'changes = {{ lateral = {"true" if name == "one" else "false"}, speed = "{speed}" }}\n'
        (field.folder / f"{name}.toml").write_text(changed)
    sound = {path.name: path.read_bytes() for name in names for path in _studied(field, name, f"alone {name}")}
    for k in range(count):
        out = field.folder / f"shared study {k}"
        pair = [_study(field, name, out) for name in names]
        if k % 2:
            time.sleep(0.5 * field.duration)
            pair[0].kill()
        done = [subprocess.CompletedProcess([], p.returncode, *said) for p in pair for said in (p.communicate(),)]
        for one in done[k % 2 :]:
            refused = "another run or study is writing here" in " ".join(one.stderr.split())
            if "Traceback" in one.stderr or one.returncode not in (0, 2) or (one.returncode == 2 and not refused):
                failed.append(f"two studies in one folder: {one.returncode}: {one.stderr[-300:]}")
        if k % 2 == 0 and all(one.returncode for one in done):
            failed.append("two studies in one folder: both refused")
        found = _studied(field, names[1], out.name)  # whoever comes after them
        failed += [f"sample {p.name} is another study's" for p in found if sound.get(p.name) != p.read_bytes()]
        failed += [f"left behind: {p.name}" for p in out.rglob("*") if p.suffix == ".part" or p.name == ".lock"]
    return count, failed


def _study(field: Field, name: str, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "panhead", "study", str(field.folder / f"{name}.toml"), "--out", str(out)]
    return subprocess.Popen([*command, "--workers", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=os.environ | HELD, errors="replace")  # fmt: skip


def _studied(field: Field, name: str, folder: str) -> list[Path]:
    """The files of samples in a folder after a study of its own."""
    process = _study(field, name, field.folder / folder)
    _, complained = process.communicate()
    if process.returncode:
        raise SystemExit(f"the undisturbed study failed:\n{complained}")
    return sorted((field.folder / folder / "samples").glob("*.nc"))


def two_workbenches(field: Field, count: int) -> Found:
    """Two processes save one file of a project: what was accepted is there."""
    from attack.saving import lost_saves
    from panhead.files import library

    project = field.folder / "project"
    project.mkdir()
    (project / "mine.toml").write_bytes(library.shipped("lines")["en50318-2002"].read_bytes())
    return lost_saves(project, count)


def stopped_while_compiling(field: Field, count: int) -> Found:
    """SIGTERM while kernels compile into an empty cache: a message, nothing left behind, and the cache serves later."""
    env, failed = os.environ | HELD | {"PANHEAD_CACHE": str(field.folder / "stopped")}, []
    for k in range(count):
        out = field.folder / f"stopped{k}"
        process = field.start(out, env=env)
        time.sleep(6.0 + 4.0 * k)
        process.terminate()
        _, complained = process.communicate()
        ended = process.returncode == 0 or (process.returncode == 130 and "Traceback" not in complained)
        if not ended or "Exception ignored" in complained:
            failed.append(f"stopped while compiling: {process.returncode}: {complained[-300:]}")
        if process.returncode and out.exists():
            failed.append(f"stopped while compiling: left behind {[p.name for p in out.iterdir()]}")
    return count, failed + field.judged(
        "after stops", field.call(field.folder / "later", env=env), field.folder / "later"
    )


def cold_caches(field: Field) -> Found:
    """Two processes compile into the same empty cache at once."""
    env = os.environ | HELD | {"PANHEAD_CACHE": str(field.folder / "cold")}
    outs = [field.folder / f"cold{k}" for k in range(2)]
    pair = [field.start(out, env=env) for out in outs]
    done = [subprocess.CompletedProcess([], p.returncode, *said) for p in pair for said in (p.communicate(),)]
    return 2, [w for one, out in zip(done, outs, strict=True) for w in field.judged("cold cache raced", one, out)]


def struck_kernels(field: Field, count: int, rng: random.Random) -> Found:
    """Compiled kernels with bytes lost or changed: compiled anew, and the same numbers."""
    from panhead.engine.jit import kernel_cache

    failed = []
    for k in range(count):
        cache, out = field.folder / f"cache{k}", field.folder / f"struck{k}"
        shutil.copytree(kernel_cache.folder(), cache / kernel_cache.key())
        files = sorted((cache / kernel_cache.key()).glob("*.kernel"))
        for path in rng.sample(files, rng.randint(1, len(files))):
            path.write_bytes(damage.struck(path.read_bytes(), rng))
        done = field.call(out, env=os.environ | HELD | {"PANHEAD_CACHE": str(cache)})
        failed += field.judged(f"struck kernels {k}", done, out)
        shutil.rmtree(cache)
    return count, failed


def surroundings(field: Field, *, long: bool) -> Found:
    """No home, a cache that cannot be written, a terminal of ASCII, paths with spaces and letters of all kinds."""
    plain = os.environ | HELD
    homeless = {k: v for k, v in plain.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    cases: list[tuple[str, dict[str, str], str]] = [
        ("no HOME", homeless, "no home"),
        ("LANG=C", plain | {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "c"),
        ("output of ASCII", plain | {"PYTHONIOENCODING": "ascii:strict"}, "ascii"),
        ("a path with spaces and letters", plain, "a path [/x] with spaces, ü 駅"),
    ]
    if long:  # everything is compiled anew
        cases.append(("unwritable cache", plain | {"PANHEAD_CACHE": "/dev/null/cache"}, "unwritable"))
    failed = [
        w
        for what, env, name in cases
        for w in field.judged(what, field.call(field.folder / name, env=env), field.folder / name)
    ]
    return len(cases), failed
