"""Reader of the modelDescription.xml of an FMU; none of its code is run."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import final
from xml.etree import ElementTree

from panhead.errors import FileError
from panhead.files.safe_xml import xml_tree

#: Largest modelDescription.xml read [bytes]: a thousand times a usual one, and memory is safe from a zip bomb.
LARGEST = 64_000_000
FLOATS = ("Real", "Float64")  #: the types that can be ports
_TYPES = (*FLOATS, "Float32", "Integer", "Boolean", "String", "Enumeration", "Binary", "Clock") + tuple(
    f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)
)


#: What reading a broken, encrypted or cut-off archive can raise.
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError),
    *(UnicodeDecodeError, struct.error),
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One variable of an FMU."""

    name: str
    reference: int  #: by which the unit knows it
    kind: str  #: Real, Integer, … (FMI 2.0), Float64, Int32, … (FMI 3.0)
    causality: str  #: input, output, parameter, local, …
    unit: str = ""
    si: bool = True  #: whether that unit is one of SI without a factor, as far as the description tells
    about: str = ""
    start: str | None = None
    scalar: bool = True

    @property
    def number(self) -> bool:
        """True if it can be a port: one floating-point number."""
        return self.kind in FLOATS and self.scalar


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UnitDescription:
    """Description of an FMU, as far as co-simulation needs it."""

    path: Path
    version: str  #: of FMI: "2.0" or "3.0"
    name: str
    about: str
    tool: str  #: that made it
    identifier: str  #: of its binary
    token: str  #: that binary and description must share
    variables: tuple[Variable, ...]
    platforms: tuple[str, ...]  #: for which it brings a binary, e.g. x86_64-linux
    keeps_state: bool  #: can go back to an earlier state
    follows_inputs: bool  #: takes rates of inputs (FMI 2.0: canInterpolateInputs)
    variable_step: bool  #: exchange steps may differ

    def by_causality(self, causality: str) -> tuple[Variable, ...]:
        """All of its inputs, outputs, parameters, …"""
        return tuple(v for v in self.variables if v.causality == causality)


def read_model_description(path: str | Path) -> UnitDescription:
    """Read the model description of an FMU without running any of its code."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            text = _description(path, archive)
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except BROKEN as error:
        raise FileError(path, f"is not an FMU (a zip archive): {error}") from None
    return _read(path, xml_tree(path, text, called="its modelDescription.xml", language="FMI"), names)


def _description(path: Path, archive: zipfile.ZipFile) -> bytes:
    try:
        info = archive.getinfo("modelDescription.xml")
    except KeyError:
        raise FileError(path, "is not an FMU: it has no modelDescription.xml") from None
    if info.file_size > LARGEST:
        raise FileError(path, f"its modelDescription.xml has {info.file_size} bytes, more than the {LARGEST} allowed")
    return archive.read(info)


def _read(path: Path, root: ElementTree.Element, names: list[str]) -> UnitDescription:
    written = root.get("fmiVersion", "")
    version = "3.0" if written.startswith("3.") else written
    if root.tag != "fmiModelDescription" or version not in ("2.0", "3.0"):
        raise FileError(path, f"has FMI version {written!r}; supported are 2.0 and 3.0")
    side = root.find("CoSimulation")
    if side is None:
        offered = [k for k in ("ModelExchange", "ScheduledExecution") if root.find(k) is not None]
        raise FileError(
            path,
            f"has no co-simulation interface (it offers {', '.join(offered) or 'none'}); "
            "export it from its tool as a co-simulation FMU",
        )
    yes = lambda *keys: any(side.get(key) in ("true", "1") for key in keys)
    return UnitDescription(
        path=path,
        version=version,
        name=root.get("modelName", ""),
        about=root.get("description", ""),
        tool=root.get("generationTool", ""),
        identifier=_plain(path, side.get("modelIdentifier", "")),
        token=root.get("guid" if version == "2.0" else "instantiationToken", ""),
        variables=_variables(path, root, version),
        platforms=_platforms(names),
        keeps_state=yes("canGetAndSetFMUstate", "canGetAndSetFMUState"),
        follows_inputs=yes("canInterpolateInputs"),
        variable_step=yes("canHandleVariableCommunicationStepSize"),
    )


def _plain(path: Path, identifier: str) -> str:
    """Name of the binary, which must not lead out of the FMU."""
    if not identifier.isidentifier():
        raise FileError(path, f"its modelIdentifier {identifier!r} is not a valid binary name")
    return identifier


def _variables(path: Path, root: ElementTree.Element, version: str) -> tuple[Variable, ...]:
    units, scaled = _declared_units(root), _scaled_units(root)
    found = []
    for element in root.findall("ModelVariables/*"):
        inner = next((e for e in element if e.tag in _TYPES), None) if version == "2.0" else element
        if inner is None or inner.tag not in _TYPES:
            raise FileError(path, f"variable {element.get('name')!r} has no type known in FMI {version}")
        reference = element.get("valueReference", "")
        if not (reference.isdecimal() and len(reference) <= 10):  # 32 bits
            raise FileError(path, f"variable {element.get('name')!r} has an invalid value reference {reference!r:.60}")
        unit = inner.get("unit") or units.get(inner.get("declaredType", ""), "")
        found.append(
            Variable(
                name=element.get("name", ""),
                reference=int(reference),
                kind=inner.tag,
                causality=element.get("causality", "local"),
                unit=unit,
                si=unit not in scaled,
                about=element.get("description", ""),
                start=inner.get("start"),
                scalar=inner.find("Dimension") is None,
            )
        )
    return tuple(found)


def _declared_units(root: ElementTree.Element) -> Mapping[str, str]:
    """Name of a type → its unit."""
    units: dict[str, str] = {}
    for kind in root.findall("TypeDefinitions/*"):
        for element in (kind, *kind):
            if "unit" in element.attrib:
                units[kind.get("name", "")] = element.attrib["unit"]
    return units


def _scaled_units(root: ElementTree.Element) -> set[str]:
    """Units with a factor or an offset to SI, such as km/h."""
    return {
        unit.get("name", "")
        for unit in root.findall("UnitDefinitions/Unit")
        for base in unit.findall("BaseUnit")
        if _number(base.get("factor"), 1.0) != 1.0 or _number(base.get("offset"), 0.0) != 0.0
    }


def _number(text: str | None, without: float) -> float:
    """Parse a number; anything else compares unequal to every factor."""
    try:
        return without if text is None else float(text)
    except ValueError:
        return math.nan


def _platforms(names: list[str]) -> tuple[str, ...]:
    parts = [PurePosixPath(name).parts for name in names]
    return tuple(sorted({p[1] for p in parts if len(p) > 2 and p[0] == "binaries"}))
