"""Data card of a data set: what it holds, how it was made, licence, splits, known limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from panhead import __version__
from panhead.explore.studies.dataset_tables import PLACES, DatasetFormat
from panhead.explore.studies.sample_plan import Plan
from panhead.files import parse

_TEXT = """# {name}

{about}

## What
{count} runs of a pantograph under an overhead line: {computed} computed, {failed} failed. `{table}` has a row
for every run with its inputs, split, state and statistics of the contact force of the first pantograph (filtered to
20 Hz as EN 50317 asks for, assessed section only). `{curves}` has time [s], place [m] and unfiltered
contact force [N] of every pantograph at every time step; `assessed` marks the assessed section.

## How
Computed by panhead {version}, solver "{solver}", study of the form "{form}", sampling "{sampling}", seed {seed}.
Inputs:

{inputs}

The study and its base run, with everything in it, are at the end of this card: the same data set can be computed again.

## Licence
The numbers are computed, not measured, and belong to whoever computed them (LICENSE-DATA of the package, 4). Shipped
lines and pantographs in the base run are available under the terms of LICENSE-DATA.

## Splits
By the key of a sample, a hash of its inputs: {splits}. A sample keeps its split when more are drawn.

## Failed samples
{failures}

## Known limits
- Small motions of taut wires and lumped pantographs unless the base run says otherwise; no measured run is among them.
- All samples share the base run below: a model trained on them knows no other line, train or range of inputs.
- Statistics have the discretisation error of the base run's step and mesh, which is not estimated here.
- Samples of one study are not independent of one another if its sampling is not "random".

## Study
```json
{study}
```
"""


def data_card(plan: Plan, index: Sequence[Mapping[str, Any]], form: DatasetFormat) -> str:
    """The card as Markdown; index: row of every sample."""
    table, curves = PLACES[form]
    study = plan.study
    failed = [(k, row["message"]) for k, row in enumerate(index) if row["state"] == "failed"]
    splits = Counter(row["split"] for row in index)
    scatter = [f"- error of every {s.of}, {parse.to_plain(s.distribution)}" for s in study.scatter]
    varied = [f"- `{v.input}`: {_values(parse.to_plain(v))}" for v in study.vary]
    return _TEXT.format(
        name=plan.name,
        table=table,
        curves=curves,
        about=study.about or f"Runs of {study.base}.",
        count=len(index),
        computed=len(index) - len(failed),
        failed=len(failed),
        version=__version__,
        solver=plan.base.get("solver", "linear"),
        form=study.form,
        sampling=study.sampling,
        seed=study.seed,
        inputs="\n".join([*varied, *scatter]),
        splits=", ".join(f"{name} {count}" for name, count in sorted(splits.items())),
        failures="\n".join(f"- sample {k}: {words}" for k, words in failed) or "None.",
        study=json.dumps(plan.plain(), indent=1, sort_keys=True, ensure_ascii=False),
    )


def _values(plain: Mapping[str, Any]) -> str:
    """What an input takes, without what was not given."""
    return json.dumps({k: v for k, v in plain.items() if k != "input" and v}, ensure_ascii=False)
