"""A strung line of any length: every distinct span is strung once and remembered."""

from __future__ import annotations

from collections import OrderedDict

from panhead.line.description import Line
from panhead.line.layout import Layout, Piece, SpanPlan
from panhead.line.mesh import mesh_span
from panhead.line.stringing import StrungSpan, string_run

_WHOLE = 40  # a tension length of up to this many spans is strung as one
_AROUND = 6  # in a longer one a span is strung with this many neighbours on each side
_RECENT = 8  # tension lengths whose list of spans is kept at hand


class Strung:
    """The static shape of a line, found span by span when asked for.

    In a tension length of more than 40 spans each span is strung among six neighbours on each side;
    what is cut off further away reaches it by less than a micrometre.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.layout = Layout(line)
        self._plans: dict[SpanPlan, int] = {}
        self._runs: dict[tuple[tuple[int, ...], float], list[StrungSpan]] = {}
        self._recent: OrderedDict[tuple[int, float], list[StrungSpan]] = OrderedDict()

    def spans(self, piece: Piece, *, element_length: float = 1.0) -> list[StrungSpan]:
        """Every span of one tension length, strung; equal spans are the same object."""
        key = piece.index, element_length
        if key not in self._recent:
            self._recent[key] = self._string(piece, element_length)
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        return self._recent[key]

    def span(self, piece: Piece, number: int, *, element_length: float = 1.0) -> StrungSpan:
        """Span ``number`` (along the line) of one tension length, strung."""
        return self.spans(piece, element_length=element_length)[number - piece.first]

    def _string(self, piece: Piece, element_length: float) -> list[StrungSpan]:
        plans = [self.layout.plan(piece, number) for number in range(piece.first, piece.stop)]
        ids = tuple(self._plans.setdefault(plan, len(self._plans)) for plan in plans)
        n = len(plans)
        if n <= _WHOLE:
            return self._run(piece, plans, ids, 0, n, element_length)
        result = []
        for k in range(n):
            start, stop = max(0, k - _AROUND), min(n, k + _AROUND + 1)
            result.append(self._run(piece, plans, ids, start, stop, element_length)[k - start])
        return result

    def _run(
        self, piece: Piece, plans: list[SpanPlan], ids: tuple[int, ...], start: int, stop: int, element_length: float
    ) -> list[StrungSpan]:
        key = ids[start:stop], element_length
        if key not in self._runs:
            meshes = [mesh_span(plan, element_length) for plan in plans[start:stop]]
            names = [f"{piece.name}, span {k + 1}," for k in range(start, stop)]
            self._runs[key] = string_run(meshes, names)
        return self._runs[key]


def string(line: Line) -> Strung:
    """String a line: from wanted heights to dropper lengths and forces, or from lengths to heights."""
    return Strung(line)
