"""The command ``panhead fmi``: inspect FMUs, export lines and pantographs as FMUs, co-simulate two FMUs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panhead.app.cli.help_groups import GroupedCommands
from panhead.errors import SimulationError
from panhead.files.atomic_files import check_output_is_no_input, require_path

if TYPE_CHECKING:
    from rich.text import Text

app = typer.Typer(
    help="Inspect, export and co-simulate functional mock-up units (FMUs).",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=GroupedCommands,
)


class ExportKind(StrEnum):
    """Components that can be exported."""

    line = "line"
    pantograph = "pantograph"


class FmiVersion(StrEnum):
    """FMI version."""

    two = "2.0"
    three = "3.0"


class SchemeName(StrEnum):
    """Co-simulation scheme."""

    jacobi = "jacobi"
    gauss_seidel = "gauss-seidel"
    iterated = "iterated"


Unit = Annotated[Path, typer.Argument(help="A functional mock-up unit, FILE.fmu.")]


@app.command()
def look(unit: Unit) -> None:
    """List the variables of an FMU. Only its description is read; none of its code is executed."""
    from rich.console import Console
    from rich.table import Table

    from panhead.runs.fmi.model_description import read_model_description as read

    d, say = read(unit), Console(highlight=False)
    table = Table("variable", "causality", "type", "unit", "start", "", title=_printable(f"{d.name} (FMI {d.version})"))
    for v in d.variables:
        kind = v.kind if v.scalar else f"{v.kind}[]"
        row = (v.name, v.causality, kind, v.unit, v.start or "", v.about)
        table.add_row(*(_printable(cell) for cell in row))
    say.print(table)
    say.print(_printable(d.about))
    say.print(_printable(f"made by    {d.tool or 'not stated'}"))
    say.print(_printable(f"binaries   {', '.join(d.platforms) or 'none'}"))
    say.print(f"rollback   {_yes_no(d.keeps_state)} (required by --scheme iterated)")
    say.print(f"steps      {'variable' if d.variable_step else 'fixed'}")


@app.command()
def export(
    kind: Annotated[ExportKind, typer.Argument(help="line or pantograph.")],
    name: Annotated[str, typer.Argument(help="Shipped name or FILE.toml.")],
    out: Annotated[Path, typer.Option("--out", parser=require_path, metavar="PATH", help="FILE.fmu to write.")],
    fmi: Annotated[FmiVersion, typer.Option("--fmi", help="Version of FMI.")] = FmiVersion.three,
    settings: Annotated[list[str] | None, typer.Option("--set", help='Override an input: speed="250 km/h".')] = None,
) -> None:
    """Export a line or a pantograph as an FMU for co-simulation in another tool."""
    from panhead.runs.fmi.exportable_units import unit_by_name
    from panhead.runs.fmi.fmu_export import export as write

    check_output_is_no_input([out], [name])
    path = write(unit_by_name(kind.value, name, settings or []), out, fmi=fmi.value)
    print(f"unit  {path}")
    print("The importing machine needs Python with panhead installed.")


@app.command()
def couple(
    line: Annotated[Path, typer.Argument(help="FMU of the line, which outputs contact forces: FILE.fmu.")],
    pantograph: Annotated[Path, typer.Argument(help="FMU of the pantograph, which outputs strip heights: FILE.fmu.")],
    duration: Annotated[float, typer.Option(help="Simulated time [s].")],
    exchange_step: Annotated[float, typer.Option(help="Communication step between the FMUs [s].")] = 1e-3,
    scheme: Annotated[SchemeName, typer.Option(help="Co-simulation scheme.")] = SchemeName.gauss_seidel,
    out: Annotated[
        Path, typer.Option("--out", parser=require_path, metavar="PATH", help="netCDF file to write.")
    ] = Path("out/coupled.nc"),
    trust: Annotated[
        bool, typer.Option("--trust-foreign-code", help="Allow FMUs to execute native code with your privileges.")
    ] = False,
) -> None:
    """Co-simulate two FMUs; write contact forces, strip heights and the interface energy error."""
    from rich.console import Console
    from rich.table import Table

    from panhead.files import results
    from panhead.runs.coupled.coupled_options import Coupling
    from panhead.runs.coupled.exchange_loop import couple as run
    from panhead.runs.fmi.foreign_fmu import ForeignUnit

    check_output_is_no_input([out], [line, pantograph])
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
                typer.echo(f"the run up to the failure is saved in {keep(error.partial)}", err=True)
            raise
    force, saved = dataset["contact_force"].values, keep(dataset)
    table = Table("quantity", "value", "unit", title=f"{line.name} – {pantograph.name}")
    table.add_row("mean contact force", f"{force.mean():.6g}", "N")
    table.add_row("largest contact force", f"{force.max():.6g}", "N")
    energy = dataset.attrs["interface_energy_error"]
    table.add_row("interface energy error", f"{energy:.3g}", "J")
    Console(highlight=False).print(table)
    print(f"result  {saved}")


def _printable(text: str) -> Text:
    """Text from an untrusted file, without markup and control characters."""
    from rich.text import Text

    return Text("".join(c for c in text if c.isprintable()))


def _yes_no(it: bool) -> str:
    return "yes" if it else "no"
