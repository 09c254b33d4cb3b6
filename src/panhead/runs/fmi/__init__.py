"""FMI: functional mock-up units (FMUs) of other tools in a co-simulation, and export of lines and pantographs as FMUs.

``description.look`` reads what a unit says of itself, ``foreign.ForeignUnit`` is one as a participant,
``control.UnitLaw`` one as a controller, ``export.export`` writes ours (``exportable_units``).
"""
