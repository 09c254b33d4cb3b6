"""Pantographs under a line: one description of a run, its solvers and what they give.

``panhead.run`` is this room and, called, the front door's ``run``: a room's name is set on its package as soon as
anything in it is loaded, whatever stood there before.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableRoom(ModuleType):
    """A module that answers to a call as ``panhead.front_door.run`` does."""

    def __call__(self, *what: Any, **how: Any) -> Any:
        from panhead.front_door import run

        return run(*what, **how)


sys.modules[__name__].__class__ = _CallableRoom
