"""Forces: what pushes or pulls, and accounts for its energy."""

from panhead.forces.push import Push

__all__ = ["Push"]
