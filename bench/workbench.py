"""Workbench latency from the end of a drag to the new verdict, relative to the bare run: EN 50318 at 300 km/h.

The page's own two requests, the change of a dropper and the run, go to a server with its worker processes; the clock
stops when the event with verdict and curves has arrived. Wall-clock time, since several processes share the work.
"""

import http.client
import json
import re
import subprocess
import sys
import tempfile
import warnings

from timing import interleaved, spread

from panhead.errors import RunWarning
from panhead.runs import scenarios


def measure() -> dict[str, object]:
    scenario = scenarios.read("en50318-300")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        bench = _Bench(folder)
        try:
            bench.verdict(0.0)  # warm
            bench.settle()
            scenario.simulate()
            drags = iter(range(1, 1000))
            runs = {"bare": scenario.simulate, "drag": lambda: bench.verdict(1e-3 * next(drags))}
            seconds = interleaved(runs | {"settle": bench.settle}, repeats=7)
        finally:
            bench.close()
    ratio = seconds["drag"] / seconds["bare"]
    return {
        "bare run, s": spread(seconds["bare"]),
        "drag to verdict, s": spread(seconds["drag"]),
        "drag to verdict over bare run": spread(ratio),
    }


class _Bench:
    """Server, and a client that drags one dropper."""

    def __init__(self, folder):
        words = [sys.executable, "-m", "panhead", "workbench", folder, "--no-browser", "--workers", "1"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        while not (found := re.search(r"http://([\d.:]+)/([\w-]+)/", self.process.stdout.readline())):
            pass
        self.host, self.token = found[1], found[2]
        self.line, self.run = (self._get(f"shipped:{n}") for n in ("line/en50318-2002", "run/en50318-300"))
        self.listening = http.client.HTTPConnection(self.host, timeout=120)
        self.listening.request("GET", f"/{self.token}/api/events?page=bench")
        self.events = self.listening.getresponse()

    def _get(self, path):
        line = http.client.HTTPConnection(self.host, timeout=120)
        line.request("GET", f"/{self.token}/api/file?path={path}")
        return json.loads(line.getresponse().read())["raw"]

    def _post(self, name, **message):
        line = http.client.HTTPConnection(self.host, timeout=120)
        headers = {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        line.request("POST", f"/{self.token}/api/{name}", json.dumps(message), headers)
        return json.loads(line.getresponse().read())

    def verdict(self, error):
        """Lengthen one dropper by ``error`` and wait for the verdict."""
        edit = {"do": "dropper", "tension_length": 0, "span": 4, "dropper": 5, "length_error": error}
        line = self._post("edit", line=self.line, edit=edit)["line"]
        self.task = self._post("run", run=self.run, line=line, page="bench")["task"]
        self._until("verdict")

    def settle(self):
        """Wait until the worker has written the result, so that the following bare run has the machine to itself."""
        self._until("done")

    def _until(self, kind):
        while True:
            text = self.events.readline()
            if text.startswith(b"data: "):
                event = json.loads(text[6:])
                if event["task"] == self.task and event["event"] == kind:
                    return

    def close(self):
        self.listening.close()
        self.process.terminate()
        self.process.wait(20)
