"""Assumed defaults: values of optional keys that a file leaves out, marked so that warnings can name them."""

from __future__ import annotations

from typing import Final


class Assumed(float):
    """A default number in place of a key that the file leaves out.

    It behaves like any other float but can be distinguished from one that was written: a run warns of it, and plain
    data (``parse.to_plain``) leave it out, so that it stays unwritten.
    """

    __slots__ = ()


class AssumedText(str):
    """A default text in place of a key that the file leaves out; treated like an ``Assumed`` number."""

    __slots__ = ()


ZERO: Final = Assumed(0.0)
