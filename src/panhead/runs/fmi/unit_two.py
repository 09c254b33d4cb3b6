"""The script inside an exported unit of FMI 2.0; pythonfmu's binary looks in its text for the class."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real
from pythonfmu.enums import Fmi2Status

from panhead.errors import PanheadError
from panhead.runs.fmi import exportable_units, fmu_server


class PanheadUnitTwo(Fmi2Slave):  # type: ignore[misc]
    """A side of a co-simulation behind FMI 2.0."""

    def __init__(self, **kwargs: Any) -> None:  # what the binary gives is its own affair
        super().__init__(**kwargs)
        self.served = s = fmu_server.ServedUnit(self.resources)
        self.modelName = exportable_units.identifier(s.unit.name)
        self.description, self.guid = s.about, s.token
        self._units: dict[str, str] = {}
        for each in fmu_server.entries(s):
            self._units[each.name] = each.unit
            variable = Real(
                each.name,
                causality=Fmi2Causality.output if each.set is None else Fmi2Causality.input,
                variability=Fmi2Variability.continuous,
                description=each.about,
                getter=each.get,
                setter=each.set,
            )
            self.register_variable(variable, nested=False)

    def to_xml(self, model_options: Any = None) -> Element:
        root: Element = super().to_xml(model_options or {})
        root.set("modelName", self.served.unit.name)
        self._add_units(root)
        structure = root.find("ModelStructure")
        outputs = root.findall("ModelStructure/Outputs/Unknown")
        if structure is not None:  # which the standard asks for, and pythonfmu leaves out
            unknowns = SubElement(structure, "InitialUnknowns")
            unknowns.extend(Element("Unknown", dict(each.attrib)) for each in outputs)
        return root

    def _add_units(self, root: Element) -> None:
        """pythonfmu knows no units; they come right after the interface."""
        definitions = Element("UnitDefinitions")
        for name, powers in fmu_server.BASE.items():
            unit = SubElement(definitions, "Unit", name=name)
            SubElement(unit, "BaseUnit", {base: str(power) for base, power in powers.items()})
        root.insert(1, definitions)
        for variable in root.findall("ModelVariables/ScalarVariable"):
            real, unit_name = variable.find("Real"), self._units[variable.get("name", "")]
            if real is not None and unit_name:
                real.set("unit", unit_name)

    def exit_initialization_mode(self) -> None:
        self.served.begin()

    def do_step(self, current_time: float, step_size: float) -> bool:
        try:
            self.served.step(current_time, step_size)
        except PanheadError as error:
            self.log(str(error), Fmi2Status.error)
            return False
        return True

    def _get_fmu_state(self) -> Any:
        return self.served.copy_state()

    def _set_fmu_state(self, state: Any) -> None:
        self.served.restore_copy(state)

    _fmu_state_to_bytes = staticmethod(fmu_server.to_bytes)
    _fmu_state_from_bytes = staticmethod(fmu_server.from_bytes)
