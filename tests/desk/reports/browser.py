"""A headless Chromium driven over its DevTools pipe, with the standard library alone."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PATIENCE = 240.0  # s: only what fails waits that long; a machine that many share is slow

# The browser reads commands from descriptor 3 and answers on 4.
_LAUNCH = """
import fcntl, os, sys
r, w = (fcntl.fcntl(int(d), fcntl.F_DUPFD, 10) for d in sys.argv[1:3])  # out of the way of 3 and 4
os.dup2(r, 3), os.dup2(w, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def executable() -> str | None:
    """Where Chromium is, if it is here."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One browser process; ``open`` gives tabs."""

    def __init__(self, path: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="panhead-browser-")
        there, self._write = os.pipe()
        self._read, back = os.pipe()
        command = [
            sys.executable,
            "-c",
            _LAUNCH,
            str(there),
            str(back),
            path,
            *_FLAGS,
            f"--user-data-dir={self._profile}",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            command, pass_fds=(there, back), close_fds=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(there)
        os.close(back)
        self._buffer = b""
        self._count = 0
        self._tabs: dict[str, Tab] = {}

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Send one command and wait for its answer; events met on the way go to their tab."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _receive(self, patience: float = PATIENCE) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], patience)[0]:
                raise TimeoutError(f"the browser did not answer within {patience} s")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError(f"the browser ended with code {self._process.wait()}")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        tab = self._tabs.get(event.get("sessionId", ""))
        if tab is not None:
            tab.note(event["method"], event["params"])

    def open(
        self, path: Path | str, *, width: int = 1200, height: int = 900, mobile: bool = False, scheme: str = "light"
    ) -> Tab:
        """Load a file or an address in a new tab and wait until everything in it has loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self._tabs[session] = Tab(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        tab.resize(width, height, mobile=mobile)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", session, features=features)
        self.call("Page.navigate", session, url=path if isinstance(path, str) else path.resolve().as_uri())
        while not tab.page_ready:
            self._note(self._receive())
        return tab

    def download_into(self, folder: Path) -> None:
        """Save what pages give to be saved into a folder, without asking."""
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def close(self) -> None:
        """End the browser and forget its profile."""
        try:
            self.call("Browser.close")
            self._process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)


class Tab:
    """One loaded page, what it complained of and what it asked the network for."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page_ready = False

    def note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.page_ready = True

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the DevTools protocol to this page."""
        return self._browser.call(method, self._session, **params)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        answer = self._browser.call(
            "Runtime.evaluate", self._session, expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, button: str = "left", **more: Any) -> None:
        """An event of the mouse at a place of the window, such as ``mousePressed``."""
        self._browser.call("Input.dispatchMouseEvent", self._session, type=kind, x=x, y=y, button=button, **more)

    def key(self, key: str, *, code: int = 0, modifiers: int = 0, text: str = "") -> None:
        """Press a key and let it go; 2 is Ctrl, 8 is Shift; ``text`` is what the key writes."""
        for kind, written in (("keyDown", text), ("keyUp", "")):
            self._browser.call(
                "Input.dispatchKeyEvent",
                self._session,
                type=kind,
                key=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
                text=written,
            )

    def resize(self, width: int, height: int, *, mobile: bool = False) -> None:
        """Another size of the window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self._browser.call("Emulation.setDeviceMetricsOverride", self._session, **size)

    def front(self) -> None:
        """Before all other tabs: a browser hardly moves what nobody sees."""
        self._browser.call("Page.bringToFront", self._session)

    def reload(self) -> None:
        """Load the page again and wait for it."""
        self.page_ready = False
        self._browser.call("Page.reload", self._session)
        while not self.page_ready:
            self._browser._note(self._browser._receive())

    def wait(self, expression: str, patience: float = PATIENCE) -> Any:
        """Until an expression is true; its value."""
        end = time.monotonic() + patience
        while not (found := self.evaluate(expression)):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} did not become true within {patience} s; {self.complaints}")
            time.sleep(0.02)
        return found

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """A PNG of the whole page."""
        answer = self._browser.call("Page.captureScreenshot", self._session, format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def small_picture(self, selector: str, path: Path, scale: float = 0.125) -> None:
        """A PNG of a part of the page, each pixel the mean of many."""
        box = self.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")
        clip = {key: round(box[key]) for key in ("x", "y", "width", "height")} | {"scale": scale}
        answer = self._browser.call("Page.captureScreenshot", self._session, format="png", clip=clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    def printed(self) -> bytes:
        """The page as a PDF, as a printer would get it."""
        answer = self._browser.call("Page.printToPDF", self._session, printBackground=False)
        return base64.b64decode(answer["data"])
