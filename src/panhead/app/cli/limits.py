"""``panhead limits``: list editions of limits, explain one, compare several."""

from __future__ import annotations

from typing import Annotated

import typer

from panhead.errors import ModelError


def limits(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="None: list all; one: explain it; several: compare them. Name or FILE.toml."),
    ] = None,
    speed: Annotated[str, typer.Option(help="Speed at which editions are compared.")] = "300 km/h",
    supply: Annotated[str, typer.Option(help="Supply at which editions are compared.")] = "25 kV AC",
) -> None:
    """List, explain and compare limits of standards and laws, with the standing of each number."""
    from panhead.app.cli.line import quantity
    from panhead.assess.limits import SUPPLIES

    v = quantity(speed, "m/s", "speed") or 0.0
    if supply not in SUPPLIES:
        raise ModelError(f"--supply: must be one of {', '.join(SUPPLIES)}, got {supply!r}")
    if not names:
        _list_editions()
    elif len(names) == 1:
        _explain(names[0])
    else:
        _compare(names, speed, v, supply)


def _list_editions() -> None:
    from panhead.app.cli.terminal_output import print_table
    from panhead.assess.criteria import DEFAULT_EDITION
    from panhead.assess.limits import STANDINGS, read
    from panhead.assess.limits_overview import overview_rows

    print_table("limits (panhead limits NAME)", ("name", "edition", "region", "limits", ""), list(overview_rows()))
    print_table("standing", (), list(STANDINGS.items()))
    name = read(DEFAULT_EDITION).name
    print(f"default {DEFAULT_EDITION}: {name}, the newest European edition whose limits are complete")


def _explain(name: str) -> None:
    from panhead.app.cli.terminal_output import print_table
    from panhead.assess.limits import read
    from panhead.assess.limits_overview import core_gaps, limit_rows, rule_rows, survey_rows

    table = read(name)
    print(f"{table.name}: {table.about}\n{table.instrument}".rstrip())
    rows = [(r.quantity, r.limit, r.holds, r.clause, r.standing) for r in limit_rows(table)]
    print_table("limits", ("quantity", "limit", "holds", "clause", "standing"), rows)
    if table.survey:
        heads = ("line", "quantity", "maintenance", "critical", "standing")
        print_table("survey limits (panhead line check, line fit)", heads, survey_rows(table.survey))
    if table.rule:
        print_table("rules, shown and not judged", ("topic", "rule", "clause", "standing"), rule_rows(table.rule))
    gaps = core_gaps(table)
    if gaps:
        print(f"not complete: a run judged by it has no limit of {', '.join(gaps)}")


def _compare(names: list[str], speed: str, v: float, supply: str) -> None:
    from panhead.app.cli.terminal_output import print_table
    from panhead.assess.limits import read
    from panhead.assess.limits_overview import comparison_rows

    tables = [read(name) for name in names]
    rows = list(comparison_rows(tables, v, supply))
    print_table(f"limits at {speed}, {supply}", ("quantity", *(table.name for table in tables)), rows)
