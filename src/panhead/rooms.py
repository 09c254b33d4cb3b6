"""Rooms whose names are verbs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any


class CallableRoom(ModuleType):
    """A room whose name is a verb, ``panhead.runs`` and ``panhead.reports``: called, it does what its name says.

    Importing anything of such a room puts the room where a function of the same name would stand.
    """

    @property
    def __call__(self) -> Callable[..., Any]:
        """The function of the same name."""
        door = importlib.import_module("panhead.front_door")
        return getattr(door, self.__name__.rpartition(".")[2])  # type: ignore[no-any-return]
