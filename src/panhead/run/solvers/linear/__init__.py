"""Pantographs under an overhead line: the fast linear path.

    result = simulate(LineRun(line="en50318-2002", speed=83.3, pantographs=(OnTrain(model="en50318-2002"),)))

The result is an xarray.Dataset; ``panhead.assess`` judges it, ``panhead.report.line`` shows it.
"""

from panhead.run.solvers.linear.description import ContactLaw, Journey, LineRun, Numerics, OnTrain
from panhead.run.solvers.linear.simulate import simulate

__all__ = ["ContactLaw", "Journey", "LineRun", "Numerics", "OnTrain", "simulate"]
