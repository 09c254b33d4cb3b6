"""A strung line of any length: every distinct span is strung once and remembered."""

from __future__ import annotations

from panhead.line.description import Line
from panhead.line.layout import Layout, Piece, SpanPlan
from panhead.line.mesh import mesh_span
from panhead.line.recent import Recent
from panhead.line.stringing import StrungSpan, string_run

_WHOLE = 40  # a tension length of up to this many spans is strung as one
_AROUND = 6  # in a longer one a span is strung with this many neighbours on each side
_PIECES, _RUNS = 8, 64  # lists of spans of a tension length, and strung runs, kept at hand


class Strung:
    """The static shape of a line, found tension length by tension length when asked for.

    In a tension length of more than 40 spans each span is strung among six neighbours on each side,
    as if the row of equal spans went on for ever; what lies further away is not felt.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.layout = Layout(line)
        self._plans: dict[SpanPlan, int] = {}
        self._runs: Recent[list[StrungSpan]] = Recent(_RUNS)
        self._pieces: Recent[list[StrungSpan]] = Recent(_PIECES)

    def spans(self, piece: Piece, *, element_length: float = 1.0) -> list[StrungSpan]:
        """Every span of one tension length, strung; equal tension lengths share them."""
        key = piece.index, element_length
        return self._pieces.get(key, lambda: self._string(piece, element_length))

    def span(self, piece: Piece, number: int, *, element_length: float = 1.0) -> StrungSpan:
        """Span ``number`` (along the line) of one tension length, strung."""
        return self.spans(piece, element_length=element_length)[number - piece.first]

    def _string(self, piece: Piece, element_length: float) -> list[StrungSpan]:
        plans = [self.layout.plan(piece, number) for number in range(piece.first, piece.stop)]
        ids = tuple(self._plans.setdefault(plan, len(self._plans)) for plan in plans)
        n = len(plans)

        def run(start: int, stop: int) -> list[StrungSpan]:
            def make() -> list[StrungSpan]:
                meshes = [mesh_span(plan, element_length) for plan in plans[start:stop]]
                names = [f"{piece.name}, span {k + 1}," for k in range(start, stop)]
                return string_run(meshes, names)

            return self._runs.get((ids[start:stop], element_length), make)

        if n <= _WHOLE:
            return run(0, n)
        result = []
        for k in range(n):
            start, stop = max(0, k - _AROUND), min(n, k + _AROUND + 1)
            result.append(run(start, stop)[k - start])
        return result


def string(line: Line) -> Strung:
    """String a line: from wanted heights to dropper lengths, or from lengths to heights."""
    return Strung(line)
