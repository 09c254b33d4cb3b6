"""The command in processes that are forked once everything is loaded: killed and struck a hundred times in minutes.

What is killed is ``panhead run`` or ``panhead study`` from its first line to its last; only the loading of modules is
shared.
"""

import io
import os
import random
import shutil
import signal
import sys
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from attack.processes import SCENES, Found, same, values
from panhead.app import cli
from panhead.runs.checkpoints import disk
from panhead.runs.coupled import exchange_loop
from panhead.runs.linear import run_driver
from panhead.runs.scenarios import explain_result
from panhead.runs.streams import Streams

_KEPT = 3  # checkpoints of a run that is then struck
#: what is killed, by scene, with the options of its command; the first one most often
KILLED: dict[str, tuple[str, ...]] = {
    "linear": ("--error-bars",),
    "explained": (),
    "coupled": ("--no-error-bars",),
    "cables": ("--no-error-bars",),
    "gains": ("--no-error-bars",),
    "ceiling": (),
    "control": (),
    "study": ("--workers", "1"),
}


class Forked:
    """A folder with a description in it, and the result of the undisturbed run."""

    def __init__(self, folder: Path, scene: str = "linear") -> None:
        self.folder, self.scene = folder, scene
        shutil.copytree(SCENES, folder, dirs_exist_ok=True)
        self.file = folder / f"{'linear' if scene == 'explained' else scene}.toml"
        self.verb, self.resume = ("study", ()) if scene == "study" else ("run", ("--resume",))
        run_driver._CHECKPOINT = 1  # one after every half second: most kills have something to go on from
        disk.INTERVAL = 0.05
        exchange_loop._PROGRESS = 5
        explain_result._QUICK = (
            3e7 if scene == "explained" else 0.0
        )  # to tell what made the peaks costs more than the run
        self._here(folder / "first")  # loads and compiles
        begin = time.monotonic()
        done = self.call(folder / "sound")
        self.duration = time.monotonic() - begin
        if done.returncode:
            raise RuntimeError(f"the undisturbed run failed:\n{done.stderr}")
        self.sound = values(folder / "sound")

    def _command(self, out: Path, *more: str) -> list[str]:
        return ["panhead", self.verb, str(self.file), "--out", str(out), *KILLED[self.scene], *more]

    def _here(self, out: Path) -> None:
        """The command in this process, unheard."""
        before = sys.argv
        sys.argv = self._command(out)
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
                cli.main()
        finally:
            sys.argv = before

    def start(self, out: Path, *more: str) -> int:
        """The number of a process that runs the command into ``out``."""
        child = os.fork()
        if child:
            return child
        code = 1
        try:
            told = os.open(self._told(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(told, 1)
            os.dup2(told, 2)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            sys.argv = self._command(out, *more)
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except BaseException:  # noqa: BLE001 what is looked for
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _told(self, out: Path) -> Path:
        return self.folder / f"{out.name}.told"

    def call(self, out: Path, *more: str) -> CompletedProcess[str]:
        """The command to its end."""
        return self._ended(self.start(out, *more), out)

    def _ended(self, child: int, out: Path) -> CompletedProcess[str]:
        status = os.waitpid(child, 0)[1]
        return CompletedProcess([], os.waitstatus_to_exitcode(status), "", self._told(out).read_text(errors="replace"))

    def judged(self, what: str, done: CompletedProcess[str], out: Path, *, must: bool = True) -> list[str]:
        """What is wrong with how a process ended; ``must``: it has to have ended well."""
        if done.returncode < 0 or "Traceback" in done.stderr or "Exception ignored" in done.stderr:
            return [f"{what}: ended with {done.returncode}: {done.stderr[-300:]}"]
        if done.returncode:
            silent = not done.stderr.strip()
            return [f"{what}: ended with {done.returncode}: {done.stderr[-300:]}"] if must or silent else []
        return [] if same(values(out), self.sound) else [f"{what}: another result"]


def kills(field: Forked, count: int, rng: random.Random) -> Found:
    """Killed at a random instant, then continued (or begun again, where nothing was kept yet)."""
    failed = []
    for k in range(count):
        out = field.folder / f"killed{k}"
        instant = rng.uniform(0.02, 1.05) * field.duration
        child = field.start(out)
        time.sleep(instant)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        what = f"{field.scene} killed after {instant:.2f} s and continued"
        failed += field.judged(what, field.call(out, *field.resume), out)
        shutil.rmtree(out, ignore_errors=True)
    return count, failed


def checkpoints(field: Forked, count: int, rng: random.Random) -> Found:
    """A run stopped half-way whose files are then struck by a bad disk: continued as it was, or refused."""
    kept = _stopped(field, field.folder / "stopped")
    failed = []
    for k in range(count):
        out = field.folder / f"struck{k}"
        shutil.copytree(kept, out)
        path = rng.choice([p for p in out.rglob("*") if p.is_file() and p.stat().st_size])
        content = bytearray(path.read_bytes())
        if rng.random() < 0.4:
            content = content[: rng.randrange(len(content))]
        else:
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        failed += field.judged(f"{path.name} struck", field.call(out, "--resume"), out, must=False)
        shutil.rmtree(out, ignore_errors=True)
    return count, failed


def _stopped(field: Forked, out: Path) -> Path:
    """A folder of a run that died just after it had kept several checkpoints."""
    keep, left = Streams.save, [_KEPT]

    def last_act(streams: Streams, arrays: Any, facts: Any) -> None:
        keep(streams, arrays, facts)
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    Streams.save = last_act
    try:
        assert field.call(out).returncode == -signal.SIGKILL
    finally:
        Streams.save = keep
    return out
