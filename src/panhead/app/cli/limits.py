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
    if not names:
        _list_editions()
    elif len(names) == 1:
        _explain(names[0])
    else:
        _compare(names, speed, supply)


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


def _compare(names: list[str], speed: str, supply: str) -> None:
    from panhead.app.cli.terminal_output import print_table
    from panhead.assess.limits import SUPPLIES, read
    from panhead.assess.limits_overview import comparison_rows
    from panhead.files.units import to_si

    if supply not in SUPPLIES:
        raise ModelError(f"--supply: must be one of {', '.join(SUPPLIES)}, got {supply!r}")
    try:
        v = to_si(speed, "m/s")
    except ValueError as error:
        raise ModelError(f"--speed: {error}") from None
    tables = [read(name) for name in names]
    rows = list(comparison_rows(tables, v, supply))
    print_table(f"limits at {speed}, {supply}", ("quantity", *(table.name for table in tables)), rows)
