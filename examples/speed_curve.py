"""A study: uplift over the speed and the tension of the contact wire.

Every run is a sample of a study with a small file of its own, computed only once, however often the study is started.
Here two tensions are tried at two speeds on a short line; a tighter wire is stiffer, so the steady arms are lifted
less.
"""

import tempfile

import panhead as ph
from panhead.explore.studies.study_description import Vary

#: What 25 kN instead of 20 kN take off the uplift at the supports at 70 m/s [mm]: some of its 30 to 60.
EXPECTED = (0.5, 20.0)

SHORT = {
    "line_changes": {"tension_lengths": [{"spans": [{"length": 50.0, "count": 6, "dropper_count": 7}]}]},
    "journey": {"judged_from": 130.0, "judged_to": 180.0, "stop": 190.0, "ramp": 0.5, "run_in": 60.0},
}


def main() -> float:
    study = ph.Study(
        base="en50318-300",
        form="compare",
        changes=SHORT,
        vary=(
            Vary(input="line_changes.wires.contact.tension", values=("20 kN", "25 kN")),
            Vary(input="speed", values=(55.0, 70.0)),
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        index = ph.study(study, folder)
    uplift = 1e3 * index["value"].sel(criterion="uplift").to_numpy()[:, 0]
    for inputs, value in zip(index["input"].to_numpy(), uplift, strict=True):
        print(f"{' at '.join(inputs)} m/s: uplift {value:5.1f} mm")
    return float(uplift[1] - uplift[3])


if __name__ == "__main__":
    main()
