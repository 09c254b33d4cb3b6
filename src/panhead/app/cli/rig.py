"""``panhead export c``: a run as C99 for a rig, and as FMUs that need no Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from panhead.errors import ModelError
from panhead.files.atomic_files import check_output_is_no_input


def export_rig(
    name: str,
    out: Path,
    interfaces: Sequence[str] | None,
    fmus: Sequence[str],
    settings: Sequence[str],
    *,
    single: bool,
    record: int,
) -> None:
    """Write the C sources of a run into a folder and, for every version of FMI asked for, an FMU of each interface."""
    from panhead.runs import scenarios
    from panhead.runs.c_export.native_fmu import check_version, write_fmu
    from panhead.runs.c_export.rig_export import INTERFACES, rig_sources, write_rig
    from panhead.runs.description import Run

    if not name:
        raise ModelError("export c: name a run: panhead export c RUN.toml --out rig")
    check_output_is_no_input([out], [name])
    for version in fmus:
        check_version(version)
    run = scenarios.read(name, settings).description
    if not isinstance(run, Run):
        raise ModelError(f"{name} does not describe a pantograph run; only a run can be exported as C")
    chosen = list(interfaces or INTERFACES)
    sources = rig_sources(run, chosen, single=single, record=record)
    for path in write_rig(sources, out):
        print(f"source  {path}")
    print(f"tables  {sources.table_bytes / 1e3:.0f} kB, windows {sources.windows}")
    for version in fmus:
        for interface in chosen:
            print(f"fmu     {write_fmu(out, interface, version)}")
