"""Every key matters: each number of a run, its line and its pantographs, changed by 1 %, changes what is computed.

First the arrays that the solver reads are compared; only where they are the same, the judged result.
"""

from dataclasses import replace

import pytest
from attack.slipped_numbers import full_line

from panhead.assess.limits import Edition, Limit, SurveyLimit
from panhead.engine.jobs import Job
from panhead.files import parse
from panhead.railway.line import Dropper, Mast, Span, string
from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.cross_span import CrossSpan
from panhead.railway.line.tensioning import Tensioning
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.railway.vehicle.rail_irregularities import MeasuredIrregularity, RandomIrregularity
from panhead.railway.vehicle.track import Track, TrackSection
from panhead.runs.linear.session import ends_of, start
from panhead.runs.resolve import resolve, resolve_line
from panhead.runs.ride import ride_under
from panhead.runs.simulate import simulate
from runs.every_key import digest, idle, keys_of
from runs.features import EXAMPLES, example

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


def arrays(run):
    """What solver "linear" reads of a run before its first step, and what it will do; no words, no inventory."""
    model = resolve(run)
    session = start(model)
    track = session.track(min(model.steps, 2000))
    windows = [model.judged_times(k) for k in range(len(model.names))]
    return digest(
        tuple(session.window.line), session.window.drop, session.window.linear.x, tuple(session.train),
        session.elements, tuple(session.sc), session.rest, tuple(track), tuple(ends_of(session)), model.steps,
        model.stop, windows,
    )  # fmt: skip


def result(run):
    """Every variable of the judged result and its criteria."""
    found = simulate(run, Job(error_bars="none", explain="none"))
    numeric = {str(n): v.to_numpy() for n, v in found.variables.items() if v.dtype.kind in "fiub"}
    distance = [found.attrs.get(f"distance_{of}", 0) for of in ("times", "rms", "max")]  # of two codes from one
    return digest(numeric, found.attrs["criteria"], distance)


def ridden(run):
    """How the roof moves on the vehicle of a run."""
    roof, told = ride_under(resolve(run), run.vehicle, Job())
    return digest(roof.times, roof.height, roof.rate, told["roof_y"][1])


def whole(changes, more=None):
    """A run with its line and its pantographs in it, so that their numbers are numbers of the run."""
    run = example(changes, more)
    train = tuple(replace(p, pantograph=resolve_pantograph(p.pantograph, p.changes), changes={}) for p in run.train)
    return replace(run, line=resolve_line(run), line_changes={}, train=train)


def of_spans(**span):
    return {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 5, "dropper_count": 5} | span]}]}


SHORT = {
    "line_changes": of_spans(),
    "journey": {"start": 55.0, "judged_from": 100.0, "judged_to": 120.0, "stop": 125.0},
    "numerics": {"element_length": 2.0},
}
STAGE = {
    "friction": 10.0, "friction_speed": 0.05, "stop_up": 0.002, "stop_down": 0.02, "static_force": 5.0,
    "aerodynamic": 1e-3,
}  # fmt: skip
HEAD = {"aerodynamic": 0.01, "tunnel_factor": 2.0, "contact_damping": 50.0, "stages": {"0": STAGE}}
STRIPS = {"strips": {"spacing": 0.5, "roll_inertia": 0.5}}
TWO = [
    {"pantograph": "en50318-2002", "changes": HEAD, "sway": {}},
    {"pantograph": "dsa380", "behind": 25.0, "changes": STRIPS},
]
STORM = {"lateral": True, "conditions": {"ice": 0.01, "wind": {"speed": 20.0, "intensity": 0.3, "seed": 3}}}
LIMIT = Limit(
    quantity="mean_force", bound="upper", value=100.0, quadratic=1e-3, above=49.9, up_to=50.0, clause="x",
    status="usual",
)  # fmt: skip

SURVEY = SurveyLimit(
    of="a", quantity="stagger", maintenance=(-0.3, 0.3), critical=(-0.4, 0.4), nominal=5.3, clause="x", status="usual"
)


def lines():
    """Runs under lines that have, together, every key of a line, a pantograph and limits; cheap ones first."""
    full, plain = full_line(), whole(SHORT)
    track = tuple(TrackPoint(at=x, radius=2000.0, cant=0.05, gradient=0.002) for x in (0.0, 270.0))
    full = replace(full, uplift_space=0.2, alignment=track)
    calm = whole(SHORT, {"speed": 50.0, "journey": {"stop": 146.0}, "train": TWO})
    storm = whole(SHORT, {"speed": 50.0, "journey": {"stop": 146.0}, "train": TWO} | STORM)
    edition = Edition(name="e", about="", year=2020, limit=(LIMIT,), survey=(SURVEY,))
    hot = whole(SHORT, {"conditions": {"temperature": 60.0}})
    wires = plain.line.wires
    grow = replace(
        wires, contact=replace(wires.contact, expansion=17e-6), messenger=replace(wires.messenger, expansion=17e-6)
    )
    weights = Tensioning(friction=0.05, travel=0.01)
    ends = replace(plain.line.tension_lengths[0], tensioning=weights, midpoint=1)
    damped = {"line_changes": {"support": {"steady_arm": {"damping": 5.0}}}}
    aux = {"material": "copper", "bending_stiffness": None, "area": 1e-4, "strands": 19, "diameter": 0.0126}
    compound = of_spans(auxiliary_positions=(5.0, 15.0, 25.0, 35.0, 45.0)) | {"wires": {"auxiliary": aux}}
    breeze = {"lateral": True, "conditions": {"wind": {"speed": 20.0}}}
    return {
        "calm": replace(calm, line=full, standard=edition),
        "plain": whole(SHORT, damped),
        "fixed": replace(hot, line=replace(plain.line, wires=grow, tensioning=Tensioning(kind="fixed"))),
        "travelled": replace(hot, line=replace(plain.line, wires=grow, tension_lengths=(ends,))),
        "lengths": with_lengths(plain),
        "twin": whole(SHORT | {"line": "twin-3kv"}, {"line_changes": of_spans()}),
        "compound": whole(SHORT | {"line": "compound-25kv"}, {"line_changes": compound} | breeze),
        "overlaps": whole(EXAMPLES["overlaps"]),
        "storm": replace(storm, line=full),
        "rail": whole(EXAMPLES["conductor rail"]),
        "cross-spans": hung_from_ropes(whole(EXAMPLES["conductor rail"])),
    }


def hung_from_ropes(run):
    """The same run with a rope at every support, and a mast that is on a map."""
    support = replace(run.line.support, cross_span=CrossSpan(tension=3e3, left=7.0, right=9.0, mass_per_length=0.3))
    (tl,) = run.line.tension_lengths
    mapped = replace(tl, masts=(Mast(at=0, longitude=7.4, latitude=46.9),))
    return replace(run, line=replace(run.line, support=support, tension_lengths=(mapped,)))


def with_lengths(run):
    """The same run with its droppers as they were cut."""
    strung = string(run.line)
    span = strung.spans(strung.layout.pieces[0])[2]
    cut = zip(span.mesh.x[span.mesh.link_station], span.unstretched, strict=True)
    droppers = tuple(Dropper(position=float(x), length=float(length)) for x, length in cut)
    ends = replace(run.line.tension_lengths[0], spans=(Span(length=50.0, count=5, droppers=droppers),))
    return replace(run, line=replace(run.line, tension_lengths=(ends,)))


#: place of a number → why it changes no run
LISTED = {
    "line.chainage": "printed on drawings and in tables; a run counts from the first mast",
    "line.tension_lengths.masts.longitude": "on a map; a run counts along the track",
    "line.tension_lengths.masts.latitude": "on a map; a run counts along the track",
    "line.span_kinds.a54.count": "anything but 1 is refused",
    "standard.year": "printed in the list of editions",
} | {
    f"standard.survey.{key}": "limit of a survey: line check and line fit, not a run"
    for key in ("maintenance.0", "maintenance.1", "critical.0", "critical.1", "nominal")
}


def test_every_number_of_lines_pantographs_and_limits_matters():
    tables = {key.partition(".")[0] for kind in ("line", "pantograph", "limits") for key in keys_of(kind)}
    seen, idling = idle(lines(), [arrays, result], tables=tables, listed=LISTED)
    wanted = set().union(*map(keys_of, ("line", "pantograph", "limits")))
    assert not wanted - seen, "no example has them"
    assert idling.keys() == LISTED.keys()


WINDOW = {"numerics": {"window": "moving", "ahead": 4, "behind": 4, "absorbing": 2, "near": 2}}
BRIEF = {"journey": {"judged_from": 55.0, "judged_to": 58.0, "stop": 59.0}}
LAW = {"kind": "derivative", "parameters": {"damping": 120.0}}
ACTUATOR = LAW | {"sampled": True, "limit": 5.0, "delay": 4e-3, "lag": 5e-3}
HISTORY = {"kind": "history", "interval": 0.02, "parameters": {"r0": 50.0, "r1": 150.0}}
DEVICE = {"yield_force": 20.0, "viscous": 30.0, "time": 5e-3, "rounding": 0.1}
CODES = {"scheme": "iterated", "tolerance": 1.0, "exchange_step": 4e-3, "truth": 0.02}


def runs():
    """Runs that have, together, every key of a run that solver "linear" reads; cheap ones first."""
    table = [[0.0, 60.0], [0.5, 75.0], [3.0, 75.0]]
    roof = [[0.0, 0.0], [0.3, 4e-3], [0.6, -3e-3], [2.0, 0.0]]
    push = {"table": [[0.2, 0.0], [0.3, 40.0], [0.5, 0.0]], "stage": 2, "pantograph": 1}
    free = {"journey": {"judged_from": None, "judged_to": None, "run_in": 10.0, "stop": 200.0}}
    two = {"speed": 50.0, "journey": {"stop": 146.0}, "train": TWO, "pushes": [push]}
    curve = [{"at": x, "radius": 4000.0, "cant": 0.05} for x in (0.0, 300.0)]
    published = [{"name": "slow", "changes": {"speed": 60.0}, "published": [100.0, 30.0]}]
    return {
        "plain": whole(SHORT, {"numerics": {"spectral_radius": 0.5, "keep": 0.2}}),
        "law": whole(SHORT, {"control": LAW, "contact": {"stiffness": 4e4, "damping": 90.0}}),
        "two": whole(SHORT, two),
        "free": whole(SHORT, free),
        "lasting": whole(SHORT, {"journey": {"stop": None, "duration": 1.0}}),
        "tables": whole(SHORT, {"speed": None, "speed_table": table, "roof": roof}),
        "curve": whole(SHORT, {"line_changes": {"alignment": curve}, "train": {"0": {"sway": {}}}}),
        "hot": whole(SHORT, EXAMPLES["temperature"]),
        "lankarani": whole(SHORT, EXAMPLES["Lankarani–Nikravesh contact"]),
        "hertz": whole(SHORT, {"contact": {"kind": "lankarani-nikravesh", "hertz": {}}}),
        "window": whole(WINDOW),
        "storm": whole(SHORT, STORM),
        "wanted": whole(SHORT, EXAMPLES["mean force"]),
        "variants": whole(SHORT, {"variants": published}),
    }


def brief():
    """Runs of a moment that have what other solvers read."""
    short = parse.merge(SHORT, BRIEF)
    coupled = {"solver": "coupled", "journey": {"settled": True}}
    search = {"grid": {"damping": [50.0, 100.0]}, "evaluations": 3, "duration": 0.02}
    return {
        "codes": whole(short, coupled | {"coupling": CODES}),
        "actuator": whole(short, coupled | {"control": ACTUATOR}),
        "field": whole(short, coupled | {"control": LAW | {"device": DEVICE}}),
        "own steps": whole(short, coupled | {"coupling": {"own_error": 1e-5}}),
        "cables": whole(short, {"solver": "cables", "cables": {"mast_elements": 2}}),
        "history": whole(short, {"solver": "cables", "control": HISTORY}),
        "search": whole(short, {"solver": "cables", "control": {"kind": "derivative", "search": search}}),
    }


UNEVEN = {"name": "t", "sections": [{"length": 100.0}], "irregularity": {"even": 20.5, "fade": 2.0}}
RIDE = {"vehicle": "s1-coach", "foot": [11.7, 0.1, 3.4], "track": UNEVEN}

#: place of a number that is rounded → factor that is more than the rounding
ROUNDED = {
    "numerics.element_length": 1.5,  # a whole number of elements between droppers
    "journey.run_in": 5.0,  # judging begins at the next support
    "coupling.exchange_step": 2.0,  # a multiple of the step
    "coupling.truth": 2.0,  # a whole number of exchanges
    "coupling.tolerance": 1e-5,  # as many iterations as it takes
    "coupling.own_error": 1e-3,  # steps that are halved or doubled
    "control.delay": 2.0,  # whole samples
    "control.search.duration": 2.0,  # whole steps
    "control.search.evaluations": 2.0,  # some are left after the grid
    "control.search.grid.damping.1": 0.2,  # the best of the grid
    "vehicle.numerics.step": 0.5,  # a part of the time between samples
    "vehicle.numerics.tolerance": 1e3,  # as many iterations as it takes
}
BY_OTHERS = {"CableOptions", "Coupling", "FieldDamper", "HeadLaw", "LawSearch"}


def test_every_number_of_a_run_matters():
    named = {key.partition(".")[0] for key in keys_of("run")}
    seen, idling = idle(runs(), [arrays, result], tables=named, rounded=ROUNDED)
    of_tracks, idling_there = idle(tracks(), [lambda track: digest(tuple(track.arrays()))])
    ride = {"ride": whole(parse.merge(SHORT, BRIEF), {"vehicle": RIDE})}
    riding, idling_aboard = idle(ride, [ridden], tables={"OnVehicle", "RideNumerics"}, rounded=ROUNDED)
    more, idling_elsewhere = idle(brief(), [result], tables=BY_OTHERS, rounded=ROUNDED)
    assert not keys_of("run") - seen - more - riding - of_tracks, "no example has them"
    assert not idling | idling_there | idling_aboard | idling_elsewhere


def tracks():
    """What a vehicle rides on."""
    sections = (TrackSection(length=60.0), TrackSection(length=50.0, transition=True),
                TrackSection(length=100.0, radius=900.0, cant=0.1))  # fmt: skip
    places = (10.0, 20.0, 30.0, 40.0, 55.0)
    shape = lambda scale: tuple(scale * x for x in (0.0, 1e-3, -2e-3, 1e-3, 0.0))
    measured = MeasuredIrregularity(
        position=places, left_lateral=shape(1.0), left_vertical=shape(2.0), right_lateral=shape(-1.0),
        right_vertical=shape(1.5),
    )  # fmt: skip
    return {
        "random": Track(name="a", sections=sections, irregularity=RandomIrregularity(even=5.0)),
        "measured": Track(name="b", sections=sections, irregularity=measured),
    }
