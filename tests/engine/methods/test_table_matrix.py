"""The order of pivots of a step's matrix."""

import numpy as np

from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.trajectory import Problem
from panhead.engine.multibody import Model


def test_pivots_keep_the_rows_of_a_link_together():
    """1000 hinged links, 5000 unknowns: the rule of least fill leaves one or two rows a panel, the other nearly five.

    Substitution takes six rows at a time; four hold the three coordinates of a link and a multiplier.
    """
    items, before = [], ground.at()
    for k in range(1000):
        link = PlanarBody(name=f"link{k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0.0))
        items += [link, Revolute(name=f"hinge{k}", a=before, b=link.at((-0.5, 0.0, 0.0)))]
        before = link.at((0.5, 0.0, 0.0))
    system = Model(name="chain", items=tuple(items), gravity=(0.0, -9.81, 0.0)).system()
    problem = Problem(system=system, start=system.start, t=np.arange(2) * 1e-3, u=np.zeros((2, 0)), every=1)
    march = TabledMarch(GeneralizedAlpha(), problem, system.families)
    factors = march.model.matrix.factors
    for panels in (factors.lower, factors.upper):
        assert len(factors.pivot) >= 4 * len(panels.row)
