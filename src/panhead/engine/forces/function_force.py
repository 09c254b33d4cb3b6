"""Forces by functions: of a stretch and its rate, or of the position and velocity of a place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, final

from panhead.engine.bodies.measure import Along, measure
from panhead.engine.roles import Effort, Force, Marker, Row, Symbols, Terms, Triple, corners_of
from panhead.errors import ModelError, require_one_of

_ACCOUNTS = ("driver", "dissipated")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionForce(Force):
    """A pull F = law(e, ė, t) along a distance, a displacement or a coordinate; positive: e becomes smaller.

    ``law`` is an expression of its arguments (CasADi), or a ``PlainFunction``. Its power counts as that of a driver, or
    as ``dissipated`` where the law is a damper.
    """

    name: str
    along: Along
    law: Callable[[Any, Any, Any], Any]  #: [N] or [N·m]
    account: Literal["driver", "dissipated"] = "driver"

    def __post_init__(self) -> None:
        measure(self, self.along)
        _check(self)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m, law, account = measure(self, self.along), self.law, self.account

        def terms(s: Symbols) -> Terms:
            e = m.write(s)
            e_dot = s.rate(e)
            pull = law(e, e_dot, s.t)
            return Terms(efforts=(Effort(-pull, e_dot, account),), outputs={"force": pull})

        key = (type(self), m.kind, law, account)
        return (Row(law=key, terms=terms, markers=m.markers, corners=corners_of(law)),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPush(Force):
    """A force on a body at a place, F = law(t, p, v): three numbers in the world's axes.

    p and v are the place's position and velocity, (3,) each. ``law`` is an expression (CasADi), or a
    ``PlainFunction(…, outputs=3)``.
    """

    name: str
    at: Marker
    law: Callable[[Any, Any, Any], Any]  #: [N]
    account: Literal["driver", "dissipated"] = "driver"

    def __post_init__(self) -> None:
        _check(self)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        law, account = self.law, self.account

        def terms(s: Symbols) -> Terms:
            p = s.frames[0].p
            v = s.rate(p)
            force = law(s.t, p, v)
            return Terms(efforts=(Effort(force, v, account),))

        key = (type(self), law, account)
        return (Row(law=key, terms=terms, markers=(self.at,), corners=corners_of(law)),)


def _check(owner: FunctionForce | FunctionPush) -> None:
    require_one_of(owner, _ACCOUNTS, "account")
    if not callable(owner.law):
        raise ModelError(f"{type(owner).__name__} {owner.name!r}: law must be a function, got {owner.law!r}")
