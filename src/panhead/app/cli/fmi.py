"""The command ``panhead fmi``: look at functional mock-up units, export ours, couple two of them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panhead.errors import SimulationError
from panhead.files.atomic_files import check_apart, path_named

if TYPE_CHECKING:
    from rich.text import Text

app = typer.Typer(
    help="Functional mock-up units: look at, export, couple.", no_args_is_help=True, rich_markup_mode=None
)


class ExportKind(StrEnum):
    """What can be exported."""

    line = "line"
    pantograph = "pantograph"


class FmiVersion(StrEnum):
    """Of FMI."""

    two = "2.0"
    three = "3.0"


class SchemeName(StrEnum):
    """How an exchange step is passed."""

    jacobi = "jacobi"
    gauss_seidel = "gauss-seidel"
    iterated = "iterated"


Unit = Annotated[Path, typer.Argument(help="A functional mock-up unit, FILE.fmu.")]


@app.command()
def look(unit: Unit) -> None:
    """List what a unit takes and gives; reads its description and runs none of its code."""
    from rich.console import Console
    from rich.table import Table

    from panhead.runs.fmi.model_description import look as read

    d, say = read(unit), Console(highlight=False)
    table = Table("variable", "causality", "type", "unit", "start", "", title=_plain(f"{d.name} (FMI {d.version})"))
    for v in d.variables:
        kind = v.kind if v.scalar else f"{v.kind}[]"
        row = (v.name, v.causality, kind, v.unit, v.start or "", v.about)
        table.add_row(*(_plain(cell) for cell in row))
    say.print(table)
    say.print(_plain(d.about))
    say.print(_plain(f"made by    {d.tool or 'not said'}"))
    say.print(_plain(f"binaries   {', '.join(d.platforms) or 'none'}"))
    say.print(f"goes back  {_yes(d.keeps_state)} (needed by --scheme iterated)")
    say.print(f"steps      {'of any length' if d.variable_step else 'of equal length only'}")


@app.command()
def export(
    kind: Annotated[ExportKind, typer.Argument(help="line or pantograph.")],
    name: Annotated[str, typer.Argument(help="Shipped name or FILE.toml.")],
    out: Annotated[Path, typer.Option("--out", parser=path_named, metavar="PATH", help="FILE.fmu to write.")],
    fmi: Annotated[FmiVersion, typer.Option("--fmi", help="Version of FMI.")] = FmiVersion.three,
    settings: Annotated[list[str] | None, typer.Option("--set", help='Change an input: speed="250 km/h".')] = None,
) -> None:
    """Write our line or one of our pantographs as a unit for co-simulation in another tool."""
    from panhead.runs.fmi.exportable_units import unit_by_name
    from panhead.runs.fmi.fmu_export import export as write

    check_apart([out], [name])
    path = write(unit_by_name(kind.value, name, settings or []), out, fmi=fmi.value)
    print(f"unit  {path}")
    print("It needs Python with panhead at the importer's.")


@app.command()
def couple(
    line: Annotated[Path, typer.Argument(help="The unit that gives contact forces, FILE.fmu.")],
    pantograph: Annotated[Path, typer.Argument(help="The unit that gives heights of strips, FILE.fmu.")],
    duration: Annotated[float, typer.Option(help="To simulate [s].")],
    exchange_step: Annotated[float, typer.Option(help="Between exchanges [s].")] = 1e-3,
    scheme: Annotated[SchemeName, typer.Option(help="How a step is passed.")] = SchemeName.gauss_seidel,
    out: Annotated[Path, typer.Option("--out", parser=path_named, metavar="PATH", help="netCDF file to write.")] = Path(
        "out/coupled.nc"
    ),
    trust: Annotated[
        bool, typer.Option("--trust-foreign-code", help="Units are native code that runs with your rights.")
    ] = False,
) -> None:
    """Run two units against each other; write contact forces, strips and the interface energy error."""
    from rich.console import Console
    from rich.table import Table

    from panhead.files import results
    from panhead.runs.coupled.coupled_options import Coupling
    from panhead.runs.coupled.exchange_loop import couple as run
    from panhead.runs.fmi.foreign_fmu import ForeignUnit

    check_apart([out], [line, pantograph])
    method = Coupling(scheme=scheme.value, tolerance=1e-8).method()

    inputs = {
        "line": line.name,
        "pantograph": pantograph.name,
        "duration": duration,
        "exchange_step": exchange_step,
        "scheme": scheme.value,
    }
    keep = lambda dataset: results.save(results.with_provenance(dataset, inputs), out)
    with ForeignUnit(line, trust=trust) as one, ForeignUnit(pantograph, trust=trust, facing=one) as other:
        try:
            dataset = run(one, other, method, duration=duration, exchange_step=exchange_step)
        except SimulationError as error:
            if error.partial is not None:
                typer.echo(f"the run up to the failure is kept in {keep(error.partial)}", err=True)
            raise
    force, saved = dataset["contact_force"].values, keep(dataset)
    table = Table("quantity", "value", "unit", title=f"{line.name} – {pantograph.name}")
    table.add_row("mean contact force", f"{force.mean():.6g}", "N")
    table.add_row("largest contact force", f"{force.max():.6g}", "N")
    energy = dataset.attrs["interface_energy_error"]
    table.add_row("interface energy error", f"{energy:.3g}", "J")
    Console(highlight=False).print(table)
    print(f"result  {saved}")


def _plain(text: str) -> Text:
    """Words of a stranger: no markup, no control characters."""
    from rich.text import Text

    return Text("".join(c for c in text if c.isprintable()))


def _yes(it: bool) -> str:
    return "yes" if it else "no"
