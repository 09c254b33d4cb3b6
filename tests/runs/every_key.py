"""Every number of a description, the same description with one of them changed, and digests of what follows from it."""

import dataclasses
import hashlib
from collections.abc import Mapping
from functools import cache

import numpy as np

from panhead.errors import PanheadError
from panhead.files import schema

SHARE = 0.01  # by which a number is changed
_FEW = 6  # numbers of a list up to which each is changed alone


def keys_of(kind):
    """Every key of a kind of file that holds numbers, as "Table.key"."""
    return {f"{table.name}.{key.name}" for table in schema.tables(kind) for key in table.keys if "number" in key.type}


def numbers(described, path=()):
    """("Table.key", path, value) of every number that is given and not zero; rows of tables column by column."""
    if dataclasses.is_dataclass(described):
        for field in dataclasses.fields(described):
            if not field.init:
                continue
            value = getattr(described, field.name)
            for place, number in _leaves(value):
                yield f"{type(described).__name__}.{field.name}", (*path, field.name, *place), number
            for place, part in _parts(value):
                yield from numbers(part, (*path, field.name, *place))


def _is_number(x):
    return isinstance(x, int | float) and not isinstance(x, bool)


def _leaves(value):
    """Place and value of the numbers of one key."""
    if _is_number(value):
        if value:
            yield (), value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from (((name, *place), x) for place, x in _leaves(part))
    elif isinstance(value, tuple) and value and all(map(_is_number, value)):
        many = len(value) > _FEW
        yield from [((), value)] if many else [((k,), x) for k, x in enumerate(value) if x]
    elif isinstance(value, tuple) and value and isinstance(value[0], tuple) and _is_number(value[0][0]):
        for column in range(len(value[0])):
            if any(row[column] for row in value):
                yield (("column", column),), value


def _parts(value):
    """Place and description of every description in the value of one key."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield (), value
    elif isinstance(value, Mapping | tuple):
        for place, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            if dataclasses.is_dataclass(part):
                yield (place,), part


def _with(value, path, change):
    """The same description with the number at a path changed."""
    if not path:
        return tuple(map(change, value)) if isinstance(value, tuple) else change(value)
    first, *rest = path
    if isinstance(first, tuple):
        column = first[1]
        return tuple((*row[:column], change(row[column]), *row[column + 1 :]) for row in value)
    if isinstance(value, Mapping):
        return {**value, first: _with(value[first], rest, change)}
    if isinstance(value, tuple):
        return (*value[:first], _with(value[first], rest, change), *value[first + 1 :])
    return dataclasses.replace(value, **{first: _with(getattr(value, first), rest, change)})


def _larger(share, whole):
    """By a share, whole numbers by a whole one."""
    return lambda x: x + whole if isinstance(x, int) else x * (1.0 + share)


#: the last where both others are refused: a height that cannot be 1 % more, a number that must be odd
CHANGES = (_larger(SHARE, 1), _larger(-SHARE, -1), _larger(SHARE / 100.0, 2))


def digest(*things):
    """Of numbers and arrays in tuples, lists and dictionaries: the same for the same bits only."""
    found = hashlib.sha256()
    for thing in things:
        _add(found, thing)
    return found.hexdigest()


def _add(found, thing):
    if isinstance(thing, tuple | list):
        found.update(b"(%d" % len(thing))
        for x in thing:
            _add(found, x)
    elif isinstance(thing, Mapping):
        _add(found, [(str(k), v) for k, v in thing.items()])
    elif isinstance(thing, str):
        found.update(thing.encode())
    elif thing is not None:
        array = np.asarray(thing)
        assert array.dtype != object, type(thing)
        found.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())


def idle(examples, stages, *, tables=None, listed=(), rounded=None):
    """Keys that have a number in some example, and places where a number changes nothing that any stage finds.

    A place is a path without numbers of items; one that is felt in one example is not tried in others. A later stage is
    asked only where the earlier ones find no difference, and not of listed places. stages: functions of a description;
    tables: names of those whose keys are tried, if not all; rounded: place → factor of a number that is rounded to
    steps, samples or elements, of which 1 % is nothing.
    """
    usual = cache(lambda stage, name: stage(examples[name]))
    seen, idling, felt = set(), {}, set()
    for number, stage in enumerate(stages):
        for name, described in examples.items():
            for key, path, _ in numbers(described):
                place = ".".join([*(x for x in path[:-1] if isinstance(x, str)), f"{path[-1]}"])
                if place in felt or (tables is not None and key.partition(".")[0] not in tables):
                    continue
                seen.add(key)
                idling[place] = key
                factor = (rounded or {}).get(place)
                changes = CHANGES if factor is None else (lambda x, by=factor: type(x)(by * x),)
                if not (number and place in listed) and _matters(described, path, changes, stage, usual(stage, name)):
                    felt.add(place)
    return seen, {place: key for place, key in idling.items() if place not in felt}


def _matters(described, path, changes, stage, usual):
    """Whether the number at a path changes what a stage finds; the last of several changes only if all are refused."""
    refused = 0
    for k, change in enumerate(changes):
        if k == 2 and refused < k:
            return False
        try:
            if stage(_with(described, path, change)) != usual:
                return True
        except PanheadError:
            refused += 1
    return False
