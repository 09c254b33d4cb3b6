"""FMI: functional mock-up units (FMUs) of other tools in a co-simulation, and export of lines and pantographs as FMUs.

``model_description`` reads the description of an FMU, ``foreign_fmu.ForeignUnit`` is an FMU as a participant,
``fmu_controller.UnitLaw`` one as a controller, ``fmu_export.export`` writes one (``exportable_units``).
"""
