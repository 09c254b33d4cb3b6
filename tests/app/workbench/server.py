"""A workbench on a project of its own, as a user starts it."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class Server:
    """``panhead workbench FOLDER``, and its address."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-m", "panhead", "workbench", str(folder), "--no-browser", "--workers", "1"]
        self.folder = folder
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                self.address = found[0]
                break
        parts = urlsplit(self.address)
        self.host, self.token = parts.netloc, parts.path.strip("/")

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and content of one raw request; ``path`` as it goes over the wire."""
        line = http.client.HTTPConnection(self.host, timeout=240)
        try:
            line.putrequest(
                method, path, skip_host=headers is not None and "Host" in headers, skip_accept_encoding=True
            )
            for name, value in (headers or {}).items():
                line.putheader(name, value)
            if body or method == "POST":
                line.putheader("Content-Length", str(len(body)))
            line.endheaders(body if body else None)
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()

    def get(self, path: str) -> Any:
        status, content = self.ask("GET", f"/{self.token}/{path}")
        assert status == 200, content
        return json.loads(content)

    def post(self, name: str, **message: Any) -> tuple[int, Any]:
        """Status and answer of what the page would ask."""
        headers = {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        status, content = self.ask("POST", f"/{self.token}/api/{name}", json.dumps(message).encode(), headers)
        return status, json.loads(content)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()
