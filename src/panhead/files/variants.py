"""Join several variants of a run in one dataset, and separate them again.

Variables that differ have a dimension ``variant``, equal ones are stored once, and those that fit one variant only
(other names or lengths) are called ``name@variant`` and have their own dimensions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

VARIANT = "variant"
_OWN = "variant_attributes"


def join(results: Mapping[str, xr.Dataset]) -> xr.Dataset:
    """Join several named datasets into one; ``separate`` is the inverse."""
    import xarray as xr

    names = list(dict.fromkeys(n for r in results.values() for n in map(str, r.variables)))
    variables: dict[str, Any] = {}
    for name in names:
        variables |= _join_variable(name, {v: r.variables.get(name) for v, r in results.items()})
    attrs = [r.attrs for r in results.values()]
    shared = {k: x for k, x in attrs[0].items() if all(_same(a.get(k), x) for a in attrs)}
    own = {v: {k: _plain(x) for k, x in r.attrs.items() if k not in shared} for v, r in results.items()}
    joined = xr.Dataset(variables).assign_coords({VARIANT: list(results)})
    return joined.assign_attrs(shared | {_OWN: json.dumps(own, ensure_ascii=False)})


def _join_variable(name: str, found: Mapping[str, xr.Variable | None]) -> dict[str, Any]:
    """Variables of the joined dataset that hold one variable of all variants."""
    import xarray as xr

    given = {v: x for v, x in found.items() if x is not None}
    first = next(iter(given.values()))
    alike = all(x.dims == first.dims and x.shape == first.shape for x in given.values())
    if alike and len(given) == len(found):
        if all(x.equals(first) for x in given.values()):
            return {name: first}
        if name not in first.dims:
            values = np.stack([x.to_numpy() for x in given.values()])
            return {name: xr.Variable((VARIANT, *first.dims), values, first.attrs)}
    return {f"{name}@{v}": xr.Variable([f"{d}@{v}" for d in x.dims], x.to_numpy(), x.attrs) for v, x in given.items()}


def separate(dataset: xr.Dataset) -> dict[str, xr.Dataset]:
    """Split a dataset into those of its variants, by name; without variants, {"": dataset}."""
    if VARIANT not in dataset.coords:
        return {"": dataset}
    own = json.loads(dataset.attrs[_OWN])
    shared = {k: x for k, x in dataset.attrs.items() if k != _OWN}
    return {
        str(name): _take_variant(dataset, str(name), k).assign_attrs(shared | own[str(name)])
        for k, name in enumerate(dataset[VARIANT].to_numpy())
    }


def _take_variant(dataset: xr.Dataset, name: str, k: int) -> xr.Dataset:
    import xarray as xr

    variables: dict[str, Any] = {}
    for key, x in dataset.variables.items():
        base, _, variant = str(key).partition("@")
        if base == VARIANT or (variant and variant != name):
            continue
        if variant:
            dims = [str(d).partition("@")[0] for d in x.dims]
            variables[base] = xr.Variable(dims, x.to_numpy(), x.attrs)
        else:
            variables[base] = x.isel({VARIANT: k}) if VARIANT in x.dims else x
    return xr.Dataset(variables)


def _same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b)) if a is not None else False


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
