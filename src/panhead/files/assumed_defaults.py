"""Defaults that stand for something nobody wrote."""

from __future__ import annotations

from typing import Final


class Assumed(float):
    """A number that a description takes where its file says nothing.

    It counts like any other, but it can be told from one that was written: whoever runs the description is told of it,
    and plain data (``door.to_plain``) leave it out, so that it stays unwritten.
    """

    __slots__ = ()


class AssumedText(str):
    """A word that a description takes where its file says nothing; treated as an ``Assumed`` number is."""

    __slots__ = ()


ZERO: Final = Assumed(0.0)
