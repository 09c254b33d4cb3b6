"""A short run, and for every feature of the capability table what it takes to have it: so much that it is felt."""

from panhead import scenarios
from panhead.files import door

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
_TRACK = [{"at": 0.0, "radius": 600.0, "cant": 0.12}, {"at": 600.0, "radius": 600.0, "cant": 0.12, "gradient": 0.006}]
_OVERLAP = [
    {"name": "A", "spans": [{"length": 50.0, "count": 7, "dropper_count": 5}]},
    {"name": "B", "spans": [{"length": 50.0, "count": 7, "dropper_count": 5}], "overlap": 2},
]

#: feature of the capability table → changes of the run that give it, or None where another test holds the feature
EXAMPLES = {
    "lateral motion": {"lateral": True},
    "several pantographs": {"train": {"1": {"pantograph": "en50318-2002", "behind": 25.0}}},
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
    "temperature": {"conditions": {"temperature": 60.0}},
    "ice": {"conditions": {"ice": 0.01}},
    "curve and cant": {"line_changes": {"alignment": _TRACK}},
    "tunnels": {"line_changes": {"tunnels": [{"from": 300.0, "to": 330.0, "factor": 3.0}]}},
    "section insulators": {},
    "overlaps": {"line_changes": {"tension_lengths": _OVERLAP}},
    "conductor rail": {},
    "stitch wires": {},
    "moving roof": {"roof": _ROOF},
    "vehicle": {},
    "speed table": {"speed": None, "speed_table": [[0.0, 60.0], [1.0, 75.0], [3.0, 75.0]]},
    "law of the head": {"control": {"kind": "derivative", "parameters": {"damping": 120.0}}},
    "searched law": {},
    "pushes": {"pushes": [{"table": [[0.5, 0.0], [0.7, 40.0], [0.9, 0.0]]}]},
    "gravity": {"line_changes": {"gravity": 4.9}},
    "friction": _STAGE(friction=10.0, friction_speed=0.05),
    "stops": _STAGE(stop_up=0.002, stop_down=0.02),
    "two strips": {},
    "bodies and joints": {},
    "foreign pantograph": None,
    "settled start": {"journey": {"settled": True}},
    "mean force": {"train": {"0": {"mean_force": 150.0}}},
    "variants": {"variants": [{"name": "slow", "changes": {"speed": 60.0}}]},
    "options of cables": {"cables": {}},
    "options of coupling": {"coupling": {}},
}


def example(changes, more=None):
    """The run with changes merged in."""
    return scenarios.from_plain(door.merged(door.merged(BASE, changes), more or {}), source="features").description
