"""Recorders of a coupled run: uplifts, droppers, frames of line and linkage, deformations."""

from __future__ import annotations

from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.bodies import FloatingBody, VirtualBody
from panhead.engine.joints.joint import Joint
from panhead.engine.methods.checkpoints import Arrays, write
from panhead.engine.roles import Marker, Symbols
from panhead.engine.system import System, Vector
from panhead.railway.pantograph.flexible_member import flexible_members
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_modes import mode_names
from panhead.railway.pantograph.pantograph_protocol import Mechanics, Pantograph
from panhead.runs.coupled.coupled_checkpoints import Resumable
from panhead.runs.coupled.coupled_dataset import units
from panhead.runs.coupled.exchange_schemes import Exchange
from panhead.runs.coupled.line_side import LineSide
from panhead.runs.coupled.multibody_side import MultibodySide
from panhead.runs.linear.frames import FrameRecorder, wires_of
from panhead.runs.linear.linear_dataset import line_variables
from panhead.runs.linear.step.dropper import is_slack
from panhead.runs.linear.step.step_arrays import U
from panhead.runs.linear.step.strips import HEIGHT
from panhead.runs.resolve import ResolvedRun
from panhead.runs.streams import Streams

_HISTORY = 400  # droppers up to which their whole history is kept


@final
class LineRecording(Resumable):
    """Recording of the line after every exchange step, in the same streams as the linear solver."""

    def __init__(self, resolved: ResolvedRun, side: LineSide) -> None:
        self.resolved, self.side, self.streams = resolved, side, Streams(None)
        self.camera, self.wires = FrameRecorder.of(resolved), wires_of(side.linear)
        supports, n = side.linear.supports, resolved.run.numerics
        self.at = supports.station, supports.dof
        self.sampled = max(1, round(n.keep / n.step))
        self.history = len(side.state.drop) <= _HISTORY
        self.uplift, self.moment = np.zeros((2, len(supports.x)))
        self.samples: list[float] = []
        self.heights: list[Vector] = []  # of the wire over every strip

    def note(self, now: Exchange) -> bool:
        """Record the line; return whether a frame was due."""
        side, h = self.side, self.resolved.run.numerics.step
        t, step = side.time, round(side.time / h)
        shape = side.state.q[U].reshape(side.linear.ns, -1)
        uplift = shape[self.at]
        higher = uplift > self.uplift
        self.uplift[higher], self.moment[higher] = uplift[higher], t
        self.heights.append(side.contact[:, HEIGHT].copy())
        if step and step % self.sampled == 0 and self.history:
            self.samples.append(t)
            self.streams.append("support_history", uplift[None])
            self.streams.append("dropper_history", side.state.drop["N"][None])
        if not step or not self.camera.due(step):
            return False
        head = now.strip[:1]
        row = self.camera.picture(side.linear, self.wires, shape, t, side.places(t)[:1], head)
        self.streams.append("frame", row[None])
        return True

    def save_state(self) -> dict[str, np.ndarray]:
        """Extremes so far."""
        return {"uplift": self.uplift, "moment": self.moment}

    def save_rows(self) -> dict[str, np.ndarray]:
        """Samples, heights and frames."""
        found = {name: np.array(self.streams.table(name)) for name in self.streams.rows}
        return found | {"samples": np.array(self.samples)[:, None], "heights": np.array(self.heights)}

    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Restore a saved recording."""
        write(self.save_state(), state)
        self.samples = rows["samples"][:, 0].tolist() if "samples" in rows else []
        self.heights = list(rows["heights"])
        for name in rows.keys() - {"samples", "heights"}:
            self.streams.append(name, rows[name])

    def variables(self) -> dict[str, Any]:
        """Dataset variables of supports, droppers, frames and the line at rest."""
        window, drop, layout = self.side.window, self.side.state.drop, self.resolved.strung.layout
        masts = [mast for mast, _ in window.support_keys]
        rows = np.column_stack([masts, layout.mast_x[masts], self.uplift, self.moment])
        self.streams.append("support", rows)
        number = np.arange(len(drop))
        span = [span for span, _ in window.dropper_keys]
        numbers = [drop[name] for name in ("N0", "N_min", "N_max", "slack")]
        self.streams.append("dropper", np.column_stack([number, span, window.dropper_x, *numbers]))
        events = self.side.notes.slack[: int(self.side.notes.events[0])]
        loose = np.flatnonzero(is_slack(drop))
        still = np.column_stack([loose, drop["since"][loose], np.full(len(loose), self.side.time)])
        slack = np.concatenate([events, still])
        if len(slack):
            self.streams.append("slack", slack)
        found: dict[str, Any] = line_variables(self.resolved, window, self.streams)
        if self.samples:
            found["sample"] = ("sample", np.array(self.samples), units("s", "time of the samples"))
        return found


@final
class PantographRecording(Resumable):
    """Recording of flexible deformations after every exchange step, and of the linkage in every frame."""

    def __init__(self, side: MultibodySide, mechanics: Mechanics, pantograph: Pantograph) -> None:
        self.side, self.members = side, LinkageView(mechanics, side.system)
        self.pantograph = pantograph
        self.bending = [item for item in mechanics.items if isinstance(item, FloatingBody)]
        names = [f"{b.name}.w{k + 1}" for b in self.bending for k in range(len(b.structure.modes))]
        self.columns = [side.system.coordinates.index(name) for name in names]
        self.rows: list[Vector] = []
        self.pictures: list[Vector] = []

    def note(self, picture: bool) -> None:
        """Record the pantograph."""
        q = self.side.stepper.q
        if self.columns:
            self.rows.append(np.array(q[self.columns]))
        if picture:
            self.pictures.append(np.array(q))

    def save_state(self) -> dict[str, np.ndarray]:
        """Nothing but rows."""
        return {}

    def save_rows(self) -> dict[str, np.ndarray]:
        """Deformations and frames."""
        found = {"deformations": np.array(self.rows)} if self.columns else {}
        return found | ({"pictures": np.array(self.pictures)} if self.pictures else {})

    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Restore a saved recording."""
        self.rows, self.pictures = (list(rows.get(name, ())) for name in ("deformations", "pictures"))

    def variables(self, n: int) -> dict[str, Any]:
        """Largest nodal displacement of each mode at n times, and the linkage in the frames."""
        found: dict[str, Any] = {}
        w, first = np.array(self.rows[:n]).T, 0
        for body in self.bending:
            modes, key = body.structure.modes, body.name.replace(" ", "_")
            reach = np.linalg.norm(body.structure.displacements, axis=1).max(axis=0)
            mine, first = w[first : first + len(modes)], first + len(modes)
            words = f"{body.name}: displacement by one mode where it moves most"
            found |= {
                f"{key}_deformation": ((f"{key}_mode", "time"), mine * reach[:, None], units("m", words)),
                f"{key}_frequency": (f"{key}_mode", np.array([m.frequency for m in modes]), units("Hz", "")),
                f"{key}_words": (f"{key}_mode", np.array(self._words(body)), {}),
            }  # fmt: skip
        return found | self.members.variables(self.pictures)

    def _words(self, body: FloatingBody) -> list[str]:
        p = self.pantograph
        if isinstance(p, LinkagePantograph):
            for member in flexible_members(p.flexible):
                if member == body.name:
                    return mode_names(p.tables, member, body.structure)
        return [mode.words for mode in body.structure.modes]


@final
class LinkageView:
    """Side view of the joints of every body that has several."""

    def __init__(self, mechanics: Mechanics, system: System) -> None:
        parents = {b.name: b.on.body for b in mechanics.items if isinstance(b, VirtualBody)}
        found: dict[str, list[Marker]] = {}
        for item in mechanics.items:
            for marker in (item.a, item.b) if isinstance(item, Joint) else ():
                body = parents.get(marker.body, marker.body)
                if body != "ground":
                    found.setdefault(body, []).append(marker)
        self.members = {name: markers for name, markers in found.items() if len(markers) > 1}
        self._places = {name: _places(m, system) for name, m in self.members.items()}
        # a model of one's own is told in axes of its own, from which its strip is carried
        first = mechanics.strips[0].stations[0].at.numbers
        self._by = np.array([first.get(f"carried.{k}", 0.0) for k in (0, 2)])

    def variables(self, pictures: list[Vector]) -> dict[str, Any]:
        """Member → x and z of its joints, (frames, n, 2); x from the place of the first strip at the start [m]."""
        found: dict[str, Any] = {}
        for name, places in self._places.items():
            if not pictures:
                break
            points = np.array([places(q).full() for q in pictures])[:, :, [0, 2]] + self._by
            start = points[0]
            # along the member, each place once
            along = start @ np.linalg.svd(start - start.mean(axis=0))[2][0]
            order = np.argsort(along, kind="stable")
            order = order[np.append(True, np.diff(along[order]) > 1e-3)]
            if len(order) > 1:
                key = f"linkage_{name.replace(' ', '_')}"
                words = units("m", f"joints of {name} from the side: x from the strip, z above the rails")
                found[key] = ("frame", f"{key}_joint", "xz"), points[:, order], words
        return found


def _places(markers: list[Marker], system: System) -> ca.Function:
    """q → p_WP of every marker, (n, 3)."""
    q = ca.SX.sym("q", len(system.coordinates))
    index = {name: k for k, name in enumerate(system.coordinates)}
    rows = []
    for marker in markers:
        at = [index[name] for name in marker.coordinates]
        none, p = ca.SX(len(at), 1), {name: ca.SX(x) for name, x in marker.numbers.items()}
        own = Symbols(ca.SX(0), q[at], none, q[at], none, ca.SX(0, 1), p, ())
        rows.append(marker.frame(own).p.T)
    return ca.Function("places", [q], [ca.densify(ca.vertcat(*rows))])
