"""String a line of any length; every distinct span is strung once and cached."""

from __future__ import annotations

from panhead.railway.line.layout import Layout, PlacedTensionLength, SpanPlan
from panhead.railway.line.line_description import Line
from panhead.railway.line.lru import LruCache
from panhead.railway.line.span_mesh import mesh_span
from panhead.railway.line.stringing import StrungSpan, split_spans, string_spans

_WHOLE = 40  # a tension length of up to this many spans is strung as one
_AROUND = 6  # in a longer one a span is strung with this many neighbours on each side
_PIECES, _RUNS = 8, 256  # lists of spans of a tension length, and strung runs, kept at hand


class Strung:
    """The static shape of a line, found tension length by tension length when asked for.

    In a tension length of more than 40 spans each span is strung among six neighbours on each side,
    as if the row of equal spans were infinite; the effect of spans farther away is negligible.
    """

    def __init__(self, line: Line, like: Strung | None = None) -> None:
        self.line = line
        self.layout = Layout(line)
        self._plans: dict[SpanPlan, int] = {} if like is None else like._plans
        self._runs: LruCache[list[StrungSpan]] = LruCache(_RUNS) if like is None else like._runs
        self._ids: dict[int, tuple[int, ...]] = {}
        self._tension_lengths: LruCache[list[StrungSpan]] = LruCache(_PIECES)

    def spans(self, piece: PlacedTensionLength, *, element_length: float = 1.0) -> list[StrungSpan]:
        """All strung spans of one tension length; equal tension lengths share them."""
        n = len(piece.spans)
        together = lambda: self._run(piece, 0, n, element_length)
        one_by_one = lambda: [self._alone(piece, k, element_length) for k in range(n)]
        return self._tension_lengths.get((piece.index, element_length), together if n <= _WHOLE else one_by_one)

    def span(self, piece: PlacedTensionLength, number: int, *, element_length: float = 1.0) -> StrungSpan:
        """Strung span ``number`` (along the line) of one tension length; a long one is strung only around it."""
        if len(piece.spans) <= _WHOLE:
            return self.spans(piece, element_length=element_length)[number - piece.first]
        return self._alone(piece, number - piece.first, element_length)

    def _alone(self, piece: PlacedTensionLength, k: int, element_length: float) -> StrungSpan:
        """Span k of a long tension length, strung with its neighbours."""
        start, stop = _around(k, len(piece.spans))
        return self._run(piece, start, stop, element_length)[k - start]

    def _run(self, piece: PlacedTensionLength, start: int, stop: int, element_length: float) -> list[StrungSpan]:
        """The spans start … stop of one tension length, strung together; equal rows of spans share them."""

        def make() -> list[StrungSpan]:
            plans = [self.layout.plan(piece, piece.first + k) for k in range(start, stop)]
            names = [f"{piece.name}, span {k + 1}," for k in range(start, stop)]
            return split_spans(string_spans([mesh_span(plan, element_length) for plan in plans], names))

        return self._runs.get((self._ids_of(piece)[start:stop], element_length), make)

    def _ids_of(self, piece: PlacedTensionLength) -> tuple[int, ...]:
        """Identifiers of the spans of one tension length, equal for equal spans."""
        if piece.index not in self._ids:
            plans = [self.layout.plan(piece, number) for number in range(piece.first, piece.stop)]
            self._ids[piece.index] = tuple(self._plans.setdefault(plan, len(self._plans)) for plan in plans)
        return self._ids[piece.index]


def _around(k: int, n: int) -> tuple[int, int]:
    """The first and one beyond the last span that span k of n is strung with."""
    return max(0, k - _AROUND), min(n, k + _AROUND + 1)


def stringing_groups(n: int) -> list[tuple[range, tuple[int, int]]]:
    """Groups in which n spans are strung: spans, and the first and one beyond the last strung with them."""
    return [(range(n), (0, n))] if n <= _WHOLE else [(range(k, k + 1), _around(k, n)) for k in range(n)]


def string(line: Line, *, like: Strung | None = None) -> Strung:
    """String a line: from nominal heights to dropper lengths, or from lengths to heights.

    ``like``: a strung line; rows of spans that both have in common are not strung again.
    """
    return Strung(line, like)
