"""Functional mock-up units: those of others as a side of a co-simulation, ours for the tools of others.

``description.look`` reads what a unit says of itself, ``foreign.ForeignUnit`` is one as a participant,
``control.UnitLaw`` one as a controller, ``export.export`` writes ours (``exportable_units``).
"""
