"""FMUs of an exported rig: C sources and a binary for this platform; the importing machine needs no Python.

Inputs change evenly over an exchange step: beside each input x there is der(x), zero unless it is set.
"""

from __future__ import annotations

import hashlib
import io
import platform
import re
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from panhead import __version__
from panhead.errors import ModelError
from panhead.files.atomic_files import write_atomic
from panhead.runs.c_export.compiled_rig import compile_sources, compilers
from panhead.runs.c_export.interface_sources import PANTOGRAPH, c_source, select_branches
from panhead.runs.c_export.rig_export import INTERFACES

VERSIONS = {"2.0": "fmu2.c", "3.0": "fmu3.c"}
_OF_LINE = (
    ("force", "N", "contact force, upwards on the wire"),
    ("wire_height", "m", "of the wire above the strip"),
    ("wire_rate", "m/s", "of that height, along the strip's way"),
    ("lateral", "m", "place of the wire across the track"),
    ("strip", "m", "height of the strip"),
    ("port_work", "J", "work done by the strip on the line"),
)
_OF_STRIPS = (
    ("height", "m", "of the strip"),
    ("rate", "m/s", "of that height"),
    ("acceleration", "m/s2", "of that height"),
    ("port_work", "J", "work done by the strip on the line"),
)
_INPUTS = {
    "closed": (),
    "motion": (("height", "m", "of the strip"), ("rate", "m/s", "of that height")),
    "force": (("force_on_wire", "N", "force on the wire, upwards"),),
    PANTOGRAPH: (("force", "N", "contact force on the strip, downwards"),),
}


@dataclass(frozen=True, slots=True)
class FmuVariable:
    """A variable of the unit; its place in the list is its reference."""

    name: str
    causality: str
    unit: str
    about: str
    start: float | None = None


def variables(interface: str, heads: int, height: float) -> list[FmuVariable]:
    """All variables, in the order of ``fmu_unit.h``; height: of the wire where the run starts [m]."""
    found: list[FmuVariable] = []
    for p in range(1, heads + 1):
        names = _INPUTS[interface]
        for name, unit, about in names:
            found.append(FmuVariable(f"{name}_{p}", "input", unit, about, height if name == "height" else 0.0))
        for name, unit, _ in names:
            found.append(FmuVariable(f"der({name}_{p})", "input", _rate(unit), "how it changes in a step", 0.0))
    if interface == "motion":
        found.append(FmuVariable("delay", "parameter", "s", "age of height and rate, made up for", 0.0))
    for p in range(1, heads + 1):
        outputs = _OF_STRIPS if interface == PANTOGRAPH else _OF_LINE
        found += [FmuVariable(f"{name}_{p}", "output", unit, about) for name, unit, about in outputs]
    if interface != PANTOGRAPH:
        found.append(FmuVariable("slack", "output", "1", "droppers that are slack"))
    return [*found, FmuVariable("flags", "output", "1", "flags of the step, 0 if all is well")]


def _rate(unit: str) -> str:
    return {"m": "m/s", "m/s": "m/s2", "N": "N/s"}[unit]


def check_version(version: str) -> None:
    """ModelError for a version of FMI that is not written."""
    if version not in VERSIONS:
        raise ModelError(f"FMI version {version!r} cannot be exported; available: {', '.join(VERSIONS)}")


def write_fmu(folder: Path, interface: str, version: str) -> Path:
    """Write FOLDER/INTERFACE_fmiVERSION.fmu from the sources in a folder; with a binary if there is a compiler."""
    check_version(version)
    header = (folder / f"rig_{interface}.h").read_text(encoding="utf-8")
    heads = int(re.findall(r"#define HEADS (\d+)", header)[0])
    height = re.findall(r"#define RIG_REST_HEIGHT ([-+.\de]+)", header)[0]
    texts = {name: (folder / name).read_bytes() for name in _names(interface)}
    digest = hashlib.sha256(b"".join(texts.values()) + version.encode()).hexdigest()
    token = f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
    unit = select_branches(c_source("fmu_unit.h"), interface)
    marks = {"NAME": interface, "TOKEN": token}
    texts["fmu_unit.h"] = re.sub(r"@([A-Z_]+)@", lambda found: marks[found[1]], unit).encode()
    texts[VERSIONS[version]] = c_source(VERSIONS[version]).encode()
    listed = variables(interface, heads, float(height))
    files = {f"sources/{name}": text for name, text in texts.items()}
    compiled = [name for name in texts if name.endswith(".c")]
    describe = _description_two if version == "2.0" else _description_three
    files["modelDescription.xml"] = describe(interface, token, listed, compiled).encode()
    if version == "3.0":
        files["sources/buildDescription.xml"] = _build_description(interface, compiled).encode()
    files |= _binary(interface, version, texts, compiled)
    return write_atomic(folder / f"{interface}_fmi{version[0]}.fmu", _zip_bytes(files))


def _names(interface: str) -> list[str]:
    tables = [] if interface == PANTOGRAPH else ["line_tables.c", "line_tables.h"]
    return [f"rig_{interface}.c", f"rig_{interface}.h", *tables, "rig_math.h"]


def _binary(interface: str, version: str, texts: dict[str, bytes], compiled: list[str]) -> dict[str, bytes]:
    """The binary for this platform, or nothing where there is no compiler."""
    there = compilers()
    if not there or platform.system() != "Linux":
        return {}
    with tempfile.TemporaryDirectory(prefix="panhead-fmu-") as stage:
        for name, text in texts.items():
            (Path(stage) / name).write_bytes(text)
        sources = [Path(stage) / name for name in compiled]
        built = compile_sources(next(iter(there.values())), sources, Path(stage) / f"rig_{interface}.so", "-O2")
        where = "linux64" if version == "2.0" else f"{platform.machine()}-linux"
        return {f"binaries/{where}/rig_{interface}.so": built.read_bytes()}


def _zip_bytes(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _units(listed: list[FmuVariable]) -> str:
    base = {
        "N": 'kg="1" m="1" s="-2"', "m": 'm="1"', "m/s": 'm="1" s="-1"', "m/s2": 'm="1" s="-2"', "1": "", "s": 's="1"',
        "J": 'kg="1" m="2" s="-2"', "N/s": 'kg="1" m="1" s="-3"',
    }  # fmt: skip
    rows = [f"    <Unit name={quoteattr(u)}><BaseUnit {base[u]}/></Unit>" for u in sorted({v.unit for v in listed})]
    return "\n".join(["  <UnitDefinitions>", *rows, "  </UnitDefinitions>"])


def _description_two(interface: str, token: str, listed: list[FmuVariable], compiled: list[str]) -> str:
    files = "".join(f"<File name={quoteattr(name)}/>" for name in compiled)
    outputs = [k for k, v in enumerate(listed, 1) if v.causality == "output"]
    unknowns = lambda: "".join(f'<Unknown index="{k}" dependencies=""/>' for k in outputs)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="rig_{interface}" guid="{token}"
    description={quoteattr(INTERFACES[interface])} generationTool="panhead {__version__}"
    variableNamingConvention="structured" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="rig_{interface}" needsExecutionTool="false"
      canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true" canSerializeFMUstate="true">
    <SourceFiles>{files}</SourceFiles>
  </CoSimulation>
{_units(listed)}
  <ModelVariables>
{_variables(listed, "2.0")}
  </ModelVariables>
  <ModelStructure><Outputs>{unknowns()}</Outputs><InitialUnknowns>{unknowns()}</InitialUnknowns></ModelStructure>
</fmiModelDescription>
"""


def _variables(listed: list[FmuVariable], version: str) -> str:
    """Variables as lines of a model description."""
    lines = []
    for k, v in enumerate(listed):
        fixed = 'variability="tunable" initial="exact"' if v.causality == "parameter" else 'variability="continuous"'
        named = f'name={quoteattr(v.name)} valueReference="{k}" causality="{v.causality}" {fixed}'
        unit = f"unit={quoteattr(v.unit)}" + ("" if v.start is None else f' start="{v.start!r}"')
        about = f"description={quoteattr(v.about)}"
        if version == "2.0":
            lines.append(f"    <ScalarVariable {named} {about}><Real {unit}/></ScalarVariable>")
        else:
            lines.append(f"    <Float64 {named} {unit} {about}/>")
    return "\n".join(lines)


def _description_three(interface: str, token: str, listed: list[FmuVariable], compiled: list[str]) -> str:
    outputs = [k for k, v in enumerate(listed) if v.causality == "output"]
    output = "".join(f'<Output valueReference="{k}" dependencies=""/>' for k in outputs)
    initial = "".join(f'<InitialUnknown valueReference="{k}" dependencies=""/>' for k in outputs)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="rig_{interface}" instantiationToken="{token}"
    description={quoteattr(INTERFACES[interface])} generationTool="panhead {__version__}"
    variableNamingConvention="structured">
  <CoSimulation modelIdentifier="rig_{interface}" needsExecutionTool="false"
      canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true" canSerializeFMUState="true"/>
{_units(listed)}
  <ModelVariables>
    <Float64 name="time" valueReference="{len(listed)}" causality="independent" variability="continuous"/>
{_variables(listed, "3.0")}
  </ModelVariables>
  <ModelStructure>{output}{initial}</ModelStructure>
</fmiModelDescription>
"""


def _build_description(interface: str, compiled: list[str]) -> str:
    files = "".join(f"<SourceFile name={quoteattr(name)}/>" for name in compiled)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="rig_{interface}">
    <SourceFileSet language="C99">{files}</SourceFileSet>
    <Library name="m" external="true"/>
  </BuildConfiguration>
</fmiBuildDescription>
"""
