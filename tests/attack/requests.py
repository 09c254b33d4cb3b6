"""Requests as a stranger, a foreign page or a broken program would send them to the workbench."""

from __future__ import annotations

import base64
import json
import random
import string
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

NAMES = (
    "project",
    "file",
    "schema/line",
    "schema/none",
    "tasks",
    "task/1",
    "task/999999",
    "download",
    "frames",
    "study-report",
    "save",
    "copy",
    "rename",
    "edit",
    "check",
    "draw",
    "findings",
    "run",
    "gradient",
    "study",
    "open",
    "stop",
    "messages",
    "questions",
    "new_line",
    "import_tables",
    "fit_survey",
    "copy_line",
    "nothing",
)
PATHS = (
    "mine.toml",
    "../secret.toml",
    "/etc/passwd",
    "link.toml",
    "folder/secret.toml",
    "..%2fsecret.toml",
    "a\0b.toml",
    "out/x/result.nc",
    "../out.nc",
    "shipped:line/en50318-2002",
    "shipped:line/../../x",
    "shipped:",
    "C:\\x.toml",
    ".lock",
    "new.toml",
    "é" * 200 + ".toml",
    "",
)
KEYS = (
    "path",
    "raw",
    "mark",
    "to",
    "line",
    "edit",
    "run",
    "keep",
    "page",
    "first",
    "count",
    "span",
    "of",
    "task",
    "speed",
    "do",
    "position",
    "tension_length",
    "dropper",
    "mast",
    "along",
    "value",
    "kind",
    "train",
    "pantograph",
    "tension_lengths",
    "spans",
    "wires",
    "name",
    "answers",
    "masts",
    "surveys",
    "content",
    "columns",
    "base",
    "noise",
)
SECRET = "what nobody may read"  # content of the file beside the project


def value(rng: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can hold, and some that it should not."""
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind == 0:
        return rng.choice((0, -1, 1, 2**31, 2**63, 10**30, 1e308, -0.0, 3.5, True, None))
    if kind in (1, 2):
        return rng.choice(PATHS)
    if kind == 3:
        return rng.choice(
            ("set", "dropper", "mast", "run", "study", "linear", "300 km/h", "\ud800", "x" * 5000, "a\nb")
        )
    if kind in (4, 5):
        return "".join(rng.choice(string.printable) for _ in range(rng.randrange(12)))
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(KEYS): value(rng, depth + 1) for _ in range(rng.randrange(5))}


def body(rng: random.Random, sound: dict[str, Any], name: str) -> bytes:
    """A body: a sound message with something wrong in it, a table of anything, or no JSON at all."""
    kind = rng.randrange(10)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
    if kind == 1:
        return rng.choice(
            (b"", b"[", b"{" * 5000, b"[" * 100_000, b"NaN", b'{"a": Infinity}', b"9" * 6000, b'"text"', b"null")
        )
    if kind < 5:
        return json.dumps(value(rng)).encode()
    message = dict(sound.get(name) or rng.choice(list(sound.values())))
    for _ in range(rng.randrange(3)):
        message[rng.choice([*message, *KEYS])] = value(rng)
    return json.dumps(message).encode()


def request(rng: random.Random, server: Any, sound: dict[str, Any]) -> tuple[str, str, bytes, dict[str, str]]:
    """Method, path, body and headers of one request; most come as far as the door."""
    token = server.token if rng.random() < 0.95 else rng.choice(("", "wrong", server.token[:-1], server.token + "x"))
    name = rng.choice(NAMES)
    path = f"/{token}/api/{name}"
    if rng.random() < 0.1:
        path = rng.choice(
            (
                f"/{token}/page/../../../../etc/passwd",
                f"/{token}/page/..%2f..%2fproject.py",
                f"/{token}//",
                "/",
                "/%00",
                f"/{token}/page/app.js",
            )
        )
    if rng.random() < 0.5:
        task, form = rng.choice(("1", "-1", "x", "9" * 30)), rng.choice(("csv", "nc", "report", "x"))
        path += f"?path={quote(rng.choice(PATHS))}&task={task}&form={form}&page={quote(rng.choice(PATHS))}"
    origin = rng.choice((f"http://{server.host}",) * 12 + ("http://evil.example", "null", "http://127.0.0.1:1"))
    headers = {
        "Origin": origin,
        "Content-Type": rng.choice(("application/json",) * 12 + ("text/plain", "application/x-www-form-urlencoded")),
    }
    if rng.random() < 0.05:
        headers["Host"] = rng.choice(("evil.example", "localhost", "127.0.0.1", "[::1]"))
    if rng.random() < 0.05:
        headers["Sec-Fetch-Site"] = "cross-site"
    method = rng.choice(("GET", "GET", "POST", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"))
    return method, path, b"" if method in ("GET", "HEAD") else body(rng, sound, name), headers


def surroundings(project: Path) -> dict[str, tuple[bytes, float]]:
    """Everything beside the project: content and time of its last change."""
    found = sorted(p for p in project.parent.iterdir() if p != project)
    return {p.name: (p.read_bytes() if p.is_file() else b"", p.stat().st_mtime) for p in found}


def prepared(parent: Path) -> Path:
    """A project with links that lead out of it, beside a secret."""
    import shutil

    from panhead.files import library

    project = parent / "project"
    project.mkdir()
    (parent / "secret.toml").write_text(f'name = "{SECRET}"\n')
    (project / "link.toml").symlink_to(parent / "secret.toml")
    (project / "folder").symlink_to(parent)
    shutil.copy(library.shipped("lines")["en50318-2002"], project / "mine.toml")
    return project


def sound_messages(server: Any) -> dict[str, Any]:
    """One good request of most kinds, to be made wrong."""
    line = server.get("api/file?path=mine.toml")["raw"]
    short = line | {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 3, "dropper_count": 4}]}]}
    run = {
        "kind": "run",
        "line": "mine.toml",
        "speed": 60.0,
        "train": [{"pantograph": "en50318-2002"}],
        "journey": {"stop": 120.0, "ramp": 0.1, "run_in": 4.0, "judged_from": 40.0, "judged_to": 100.0},
    }
    first = {"pantograph": "en50318-2002", "speed": "200 km/h"}
    rows = b"mast,chainage,stagger,height\nA,0,0.1,5.0\nB,50,-0.1,5.0\nC,100,0.1,5.0\n"
    table = {"name": "masts.csv", "content": base64.b64encode(rows).decode()}
    return {
        "save": {"path": "new.toml", "raw": short, "mark": None},
        "copy": {"path": "mine.toml", "to": "copy.toml"},
        "rename": {"path": "copy.toml", "to": "other.toml"},
        "edit": {"line": short, "edit": {"do": "dropper", "tension_length": 0, "span": 1, "dropper": 2, "sag": 0.01}},
        "check": {"raw": run},
        "draw": {"line": short, "first": 0, "count": 2},
        "run": {"run": run, "line": short, "page": "p"},
        "stop": {"task": 3},
        "open": {"path": "out/x/result.nc"},
        "new_line": {"to": "made.toml", "answers": {"spans": "3", "span": "50 m"}} | first,
        "copy_line": {"to": "twin.toml", "path": "mine.toml"} | first,
        "import_tables": {"to": "table.toml", "masts": table, "base": "shipped:line/en50318-2002"} | first,
        "fit_survey": {"to": "built.toml", "surveys": [table], "line": "mine.toml"} | first,
    }


def attack(server: Any, count: int, seed: int) -> list[str]:
    """Send ``count`` requests; what let a stranger in, fell, made a worker fall, or touched what lies outside."""
    rng, failed, sound = random.Random(seed), [], sound_messages(server)
    before = surroundings(server.folder)
    for k in range(count):
        method, path, content, headers = request(rng, server, sound)
        try:
            status, said = server.ask(method, path, content, headers)
        except (OSError, ValueError) as error:
            failed.append(f"request {k}: {method} {path[:80]}: {type(error).__name__} {error}")
            time.sleep(0.1)
            continue
        foreign = headers["Origin"] != f"http://{server.host}" or "Sec-Fetch-Site" in headers or "Host" in headers
        let_in = status < 400 and (foreign or f"/{server.token}/" not in path)
        if status >= 500 or let_in or SECRET.encode() in said or b"the worker ended" in said:
            failed.append(f"request {k}: {method} {path[:80]} {content[:200]!r}: {status} {said[:200]!r}")
        if k % 20 == 19:
            failed += fallen(server)
    return failed + fallen(server) + ["touched outside"] * (surroundings(server.folder) != before)


def fallen(server: Any) -> list[str]:
    """Tasks whose worker has ended over them."""
    return [
        f"task {t['task']} {t['name']} failed"
        for t in server.get("api/tasks?page=p")["tasks"]
        if t["state"] == "failed"
    ]
