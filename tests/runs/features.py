"""A short run, and for every feature of the capability table what it takes to have it: so much that it is felt."""

from panhead.files import parse
from panhead.runs import scenarios

SPANS = [{"length": 50.0, "count": 12, "dropper_count": 5}]
STIFF = {"contact": {"axial_stiffness": 1.5e7, "area": 1.5e-4}, "messenger": {"axial_stiffness": 1.2e7, "area": 1.2e-4}}
SUPPORT = {"stagger": 0.2, "steady_arm": {"length": 1.1, "mass": 1.0, "rise": 0.2}}
BASE = {
    "kind": "run",
    "name": "path",
    "line": "en50318-2002",
    "speed": 70.0,
    "line_changes": {
        "tension_lengths": [{"name": "T", "spans": SPANS}],
        "support": SUPPORT,
        "wires": STIFF,
    },
    "train": [{"pantograph": "en50318-2002", "changes": {"static_force": 140.0}}],
    "journey": {
        "start": 255.0, "judged_from": 300.0, "judged_to": 340.0, "stop": 345.0, "ramp": 0.3, "run_in": 0.0,
    },
    "numerics": {"step": 2e-3, "element_length": 1.5, "coarse": True},
}  # fmt: skip

_DROPPER = lambda **more: {"line_changes": {"dropper": more}}
_STAGE = lambda **more: {"train": {"0": {"changes": {"stages": {"0": more}}}}}
_ROOF = [[0.0, 0.0], [0.3, 4e-3], [0.6, -3e-3], [1.0, 3e-3], [2.0, 0.0]]
_TRACK = [{"at": 0.0, "radius": 900.0, "cant": 0.1}, {"at": 600.0, "radius": 900.0, "cant": 0.1, "gradient": 0.004}]
_OVERLAP = [
    {"name": "A", "spans": [{"length": 50.0, "count": 7, "dropper_count": 5}], "overlap": {"spans": 3}},
    {"name": "B", "spans": [{"length": 50.0, "count": 8, "dropper_count": 5}]},
]
_INSULATOR = [{"position": 320.0, "kind": {"mass": 8.0, "length": 1.5, "ramp": 0.3, "bending_stiffness": 400.0}}]
_RAIL = {
    "line": "conductor-rail",
    "line_changes": {},
    "speed": 30.0,
    "train": [{"pantograph": "dsa380"}],
    "journey": {"start": 200.0, "judged_from": 215.0, "judged_to": 225.0, "stop": 230.0},
    "numerics": {"element_length": 1.0},
}
_STITCH = {"wires": {"stitch": {"reach": 8.0, "wire": {"mass_per_length": 0.31, "tension": 3500.0}}}}
_TRACK_OF_RIDE = {
    "name": "short",
    "sections": [{"length": 400.0}],
    "irregularity": {"spectrum": "erri-low", "seed": 1, "even": 30.0, "fade": 30.0},
}
_VEHICLE = {"vehicle": "s1-coach", "foot": [11.73143, 0.0, 3.425], "track": _TRACK_OF_RIDE}

#: feature of the capability table → changes of the run that give it, or None where another test holds the feature
EXAMPLES = {
    "lateral motion": {"lateral": True},
    "several pantographs": {"train": [BASE["train"][0], {"pantograph": "en50318-2002", "behind": 25.0}]},
    "spectral radius below 1": {"numerics": {"spectral_radius": 0.5}},
    "contact damping": {"contact": {"damping": 400.0}},
    "Lankarani–Nikravesh contact": {"contact": {"kind": "lankarani-nikravesh", "stiffness": 5e4, "exponent": 1.2}},
    "joint contact": {"contact": {"kind": "joint"}},
    "bilateral droppers": {"droppers": "bilateral"},
    "dropper damping": _DROPPER(damping=300.0),
    "rod droppers": _DROPPER(rod={"parts": 2}, mass_per_length=0.2),
    "droppers that bow": _DROPPER(bow={}, mass_per_length=0.2),
    "wind": {"lateral": True, "conditions": {"wind": {"speed": 20.0}}},
    "gusts": {"lateral": True, "conditions": {"wind": {"speed": 20.0, "intensity": 0.3, "seed": 3}}},
    "given side load": {"line_changes": {"wires": {"contact": {"side_load": 20.0}}}},
    "temperature": {"conditions": {"temperature": 60.0}, "line_changes": {"tensioning": {"kind": "fixed"}}},
    "ice": {"conditions": {"ice": 0.01}},
    "curve and cant": {"line_changes": {"alignment": _TRACK}},
    "tunnels": {
        "line_changes": {"tunnels": [[290.0, 330.0]]},
        "train": {"0": {"changes": {"aerodynamic": 0.01, "tunnel_factor": 2.0}}},
    },
    "section insulators": {"line_changes": {"tension_lengths": {"0": {"section_insulators": _INSULATOR}}}},
    "overlaps": {"line_changes": {"tension_lengths": _OVERLAP}},
    "conductor rail": _RAIL,
    "stitch wires": {"line_changes": _STITCH},
    "moving roof": {"roof": _ROOF},
    "vehicle": {"vehicle": _VEHICLE},
    "speed table": {"speed": None, "speed_table": [[0.0, 60.0], [1.0, 75.0], [3.0, 75.0]]},
    "law of the head": {"control": {"kind": "derivative", "parameters": {"damping": 120.0}}},
    "law of a flexible head": {
        "train": {"0": {"pantograph": "cx", "changes": {"flexible": "head"}}},
        "control": {"kind": "derivative", "parameters": {"damping": 120.0}},
    },
    "searched law": {"control": {"kind": "derivative", "search": {"grid": {"damping": [50.0, 100.0]}}}},
    "pushes": {"pushes": [{"table": [[0.5, 0.0], [0.7, 40.0], [0.9, 0.0]]}]},
    "gravity": {"line_changes": {"gravity": 4.9}},
    "friction": _STAGE(friction=10.0, friction_speed=0.05),
    "stops": _STAGE(stop_up=0.002, stop_down=0.02),
    "two strips": {"train": {"0": {"changes": {"strips": {"spacing": 0.5, "roll_inertia": 0.5}}}}},
    "bodies and joints": {"train": {"0": {"pantograph": "cx", "changes": {}}}},
    "foreign pantograph": None,
    "settled start": {"journey": {"settled": True}},
    "mean force": {"train": {"0": {"mean_force": 150.0}}},
    "variants": {"variants": [{"name": "slow", "changes": {"speed": 60.0}}]},
    "options of cables": {"cables": {}},
    "options of coupling": {"coupling": {}},
}

RIDES = ("vehicle",)  # a ride takes seconds; tests/railway/vehicle hold it beside the plain run


def example(changes, more=None):
    """The run with changes merged in."""
    base = BASE if "line" not in changes else BASE | {"line_changes": {}}
    return scenarios.from_plain(parse.merge(parse.merge(base, changes), more or {}), source="features").description
