"""Session of the linear solver: a run in progress with its window, state, output buffers and checkpointed arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from panhead.engine.methods.checkpoints import Arrays, write
from panhead.railway.line.line_matrices import LinearLine, linear_line
from panhead.railway.line.wire_elements import wire_at
from panhead.runs.linear.gust_loads import with_gusts
from panhead.runs.linear.head_law import law_damping
from panhead.runs.linear.kernel_arrays import scheme, train_arrays
from panhead.runs.linear.near_spans import DIES, bands_at, lost_by_waves, spans_at
from panhead.runs.linear.step.adjoint_arrays import KeptSteps
from panhead.runs.linear.step.step_arrays import (
    CONTACT,
    D_ABSORBED,
    DROPPER,
    ELEMENT,
    ENERGIES,
    LEDGER,
    NO_ENDS,
    Ends,
    LineState,
    Record,
    Scheme,
    TrainArrays,
    TrainWay,
)
from panhead.runs.linear.window import (
    PackedLine,
    Window,
    line_energy,
    moved_window,
    open_window,
    pack_line,
    resting_state,
)
from panhead.runs.linear.window_shift import shift_state
from panhead.runs.resolve import ResolvedRun

FADING = 4.0  # σ_max L / c of the ends of a moving window: gentle and long sends least back
HARDER = 3.0  # times as much where damping takes next to nothing of what comes back


@dataclass(slots=True)
class Session:
    """State of a run in progress, and the constants it needs at every step."""

    model: ResolvedRun
    sc: Scheme
    train: TrainArrays
    elements: np.ndarray
    rest: np.ndarray  #: (nm,) lifting forces that hold the masses where they start [N]
    window: Window
    state: LineState
    step: int = 0
    energy0: float = 0.0  #: stored at the start [J]
    ids: dict[tuple[int, str], int] = field(default_factory=dict)  #: numbers of the droppers in the window
    next_id: int = 0

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self.step * self.sc.h

    def track(self, steps: int) -> TrainWay:
        """Motion of the train during the next steps."""
        m = self.model
        return m.timetable.track(self.step, steps, self.sc.h, m.pantographs, self.behind, self.rest)

    @property
    def behind(self) -> np.ndarray:
        """Distance of every strip behind the first pantograph [m]."""
        return strips_behind(self.model)

    @property
    def first_strip(self) -> np.ndarray:
        """Index of each pantograph's first strip."""
        return np.concatenate([[0], np.cumsum([len(p.heads) for p in self.model.pantographs])[:-1]])

    def number_droppers(self) -> np.ndarray:
        """Numbers along the line of the window's droppers, newcomers counted on; −1: lower parts of rods; (nd,)."""
        keys = self.window.dropper_keys
        for key in keys:
            if key not in self.ids:
                self.ids[key] = self.next_id
                self.next_id += 1
        known = set(keys)
        self.ids = {key: n for key, n in self.ids.items() if key in known}
        return np.array([self.ids.get(key, -1) for key in self.window.row_keys], dtype=np.int64)


def strips_behind(model: ResolvedRun) -> np.ndarray:
    """Distance of every strip behind the first pantograph [m]."""
    pairs = zip(model.behind, model.pantographs, strict=True)
    return np.array([behind - strip.ahead for behind, p in pairs for strip in p.heads])


def packed_line(model: ResolvedRun) -> PackedLine:
    """Kernel arrays of the spans computed at first."""
    n, bilateral = model.run.numerics, model.run.droppers == "bilateral"
    linear = linear_line(
        model.strung,
        element_length=n.element_length,
        lateral=model.run.lateral,
        bilateral=bilateral,
        spans=spans_at(model, 0),
        bands=bands_at(model, 0),
    )
    return pack_line(linear, _scheme(model), bilateral=bilateral)


def _scheme(model: ResolvedRun) -> Scheme:
    return scheme(model.run.numerics.step, model.run.numerics.radius("linear"))


def start(model: ResolvedRun, packed: PackedLine | None = None) -> Session:
    """Session with the line at rest and pantographs touching it without force; the ramp begins with the first step.

    packed: what ``packed_line`` gives, if it is known.
    """
    packed, sc = packed or packed_line(model), _scheme(model)
    linear = packed.linear
    places = model.timetable.start - model.behind
    touching = np.array([contact_height(linear, x) for x in model.timetable.start - strips_behind(model)])
    heights, law = [support_height(linear, x) for x in places], model.run.control
    damping = 0.0 if law is None or law.kind == "none" else law_damping(law, model.pantographs)
    train, elements = train_arrays(model.pantographs, heights, model.run.contact, sc, damping)
    z = _initial_coordinates(model, touching - train.head["height"])
    window = with_gusts(model, open_window(packed, sc, train, elements), sc)
    state = resting_state(window, train, elements, z)
    return Session(model, sc, train, elements, train.K @ z, window, state, energy0=float(0.5 * z @ train.K @ z))


def _initial_coordinates(model: ResolvedRun, touching: np.ndarray) -> np.ndarray:
    """Initial coordinates of all pantographs with strips at the height of the wires (heads,), masses like the first
    strip."""
    found, left = [], touching
    for p in model.pantographs:
        mine, left = np.split(left, [len(p.heads)])
        z = np.full(p.size, mine[0])
        for strip, height in zip(p.heads, mine, strict=True):
            z[strip.mass] = height
            if strip.roll is not None:
                z[strip.roll] = 0.0
        found.append(z)
    return np.concatenate(found)


def reopen(session: Session, linear: LinearLine) -> None:
    """Move the window of a session to other spans, its state still that of the start."""
    if linear is not session.window.linear:
        session.window = with_gusts(session.model, _opened_anew(session, linear), session.sc)
        session.state = resting_state(session.window, session.train, session.elements, session.state.z[0])


def move_window(session: Session, known: Sequence[Window] = ()) -> bool:
    """Move the window if the train has reached another span; return whether it has moved.

    known: windows that need not be assembled again.
    """
    spans, bands = spans_at(session.model, session.step), bands_at(session.model, session.step)
    old = session.window
    if is_window(old, spans, bands):
        return False
    new = next((w for w in known if is_window(w, spans, bands)), None) or window_at(session, spans, bands)
    before = line_energy(old, session.state)
    session.state = shift_state(old, session.state, new, session.train, session.sc)
    session.state.ledger[D_ABSORBED] += before - line_energy(new, session.state)
    session.window = new
    return True


def is_window(window: Window, spans: tuple[int, int], bands: tuple[float, ...]) -> bool:
    """True if a window covers these spans, each with this band."""
    linear = window.linear
    return (*spans, bands) == (linear.first_span, linear.stop_span, linear.bands)


def window_at(session: Session, spans: tuple[int, int], bands: tuple[float, ...]) -> Window:
    """Window of the session's line."""
    linear = session.window.linear.window(*spans, bands)
    alike = linear.alike(session.window.linear)
    return moved_window(session.window, linear) if alike else _opened_anew(session, linear)


def _opened_anew(session: Session, linear: LinearLine) -> Window:
    width, bilateral = session.window.work.y.shape[0], session.model.run.droppers == "bilateral"
    packed = pack_line(linear, session.sc, bilateral=bilateral, width=width)
    return open_window(packed, session.sc, session.train, session.elements)


def ends_of(session: Session) -> Ends:
    """Absorbing ends of the present window; none where the line itself ends.

    Distances are those of the spans that are there, counted from the masts next to the pantographs.
    """
    model, n, linear = session.model, session.model.run.numerics, session.window.linear
    if not (model.moving and n.absorbing):
        return NO_ENDS
    x, first, stop = model.strung.layout.mast_x, linear.first_span, linear.stop_span
    fastest = max(np.sqrt(p.tension / p.mass_per_length) for p in linear.paths)
    front, rear = (0.0, np.inf), (0.0, np.inf)
    if stop < x.size - 1:
        front = _end(x[stop] - x[[stop - n.ahead, stop - n.absorbing]])
    if first > 0:
        rear = _end(x[[first + n.behind, first + n.absorbing]] - x[first])
    strength = FADING if lost_by_waves(model) >= DIES else HARDER * FADING
    rate = strength * fastest / (n.absorbing * float(np.diff(x).mean()))
    return Ends(max(1, round(0.02 / session.sc.h)), rate, *front, *rear)


def _end(away: np.ndarray) -> tuple[float, float]:
    """Start and length of an absorbing end, from the distances of the train and of that position to the end."""
    return float(away[0] - away[1]), float(away[1])


def contact_height(linear: LinearLine, x: float) -> float:
    """Static height of the lowest contact wire above x [m]."""
    above = [p for p in linear.paths if linear.x[p.first] <= x < linear.x[p.last]]
    return float(min(wire_at(x, linear.x, p.z0, p.z0_x) for p in above))


def support_height(linear: LinearLine, x: float) -> float:
    """Static height of the lowest contact wire at the support before x: the working height of the pantograph."""
    masts = linear.x[linear.masts]
    mast = masts[max(0, int(np.searchsorted(masts, x, side="right")) - 1)]
    return contact_height(linear, float(mast))


EVENTS = 4096  #: slackenings kept of one chunk


def room_for_record(
    session: Session, steps: int, samples: int = 0, shapes: int = 0, *, history: bool = False
) -> Record:
    """Record buffers for a number of steps, samples and shapes; ``history``: of supports and droppers too."""
    state = session.state
    return Record(
        contact=np.zeros((steps, state.contact.size, 4)),
        masses=np.zeros((steps, state.z.shape[1])),
        energy=np.zeros((samples, len(ENERGIES) + len(LEDGER))),
        support=np.zeros((samples, state.support.size if history else 0)),
        dropper=np.zeros((samples, state.drop.size if history else 0)),
        shape=np.zeros((shapes, *session.window.work.s.shape)),
        slack=np.zeros((EVENTS, 3)),
        events=np.zeros(1, dtype=np.int64),
    )


def room_for_steps(session: Session, steps: int) -> KeptSteps:
    """Tape buffers for the states of a number of steps, and for those after each absorption among them."""
    every = ends_of(session).every
    return room_for_states(session, steps + 1 + (steps // every + 1 if every else 0))


def room_for_states(session: Session, rows: int) -> KeptSteps:
    """Tape buffers of so many rows; none: a run without a tape."""
    state, shape = session.state, session.window.work.s.shape
    q = np.zeros((rows, 3, *shape))
    return KeptSteps(
        q,
        q.reshape(rows, 3, int(np.prod(shape))),
        np.zeros((rows, 3, state.z.shape[1])),
        np.zeros((rows, state.contact.size), CONTACT),
        np.zeros((rows, state.element.size), ELEMENT),
        np.zeros((rows, state.drop.size), DROPPER),
        np.zeros((rows, 3, state.eta.size // 3)),
    )


def save_state(session: Session) -> dict[str, np.ndarray]:
    """Arrays that the next step starts from, including the window and the numbers of its droppers."""
    linear, ids = session.window.linear, session.ids
    return _arrays(session) | {
        "spans": np.array([linear.first_span, linear.stop_span]),
        "bands": np.array(linear.bands, dtype=float),
        "next_id": np.array(session.next_id),
        "id_span": np.array([span for span, _ in ids], dtype=np.int64),
        "id_name": np.array([name for _, name in ids], dtype=np.str_),
        "id": np.array([*ids.values()], dtype=np.int64),
    }


def restore_state(session: Session, state: Arrays) -> None:
    """Restore a state from ``save_state`` in a new session of the same run."""
    first, stop = state["spans"].tolist()
    reopen(session, session.window.linear.window(first, stop, state["bands"].tolist()))
    write(_arrays(session), state)
    session.next_id = int(state["next_id"])
    keys = zip(state["id_span"].tolist(), state["id_name"].tolist(), strict=True)
    session.ids = dict(zip(keys, state["id"].tolist(), strict=True))


def _arrays(session: Session) -> dict[str, np.ndarray]:
    return {name: getattr(session.state, name) for name in LineState._fields if name != "flat"}
