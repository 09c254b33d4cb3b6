"""Geometrically exact beams in space: closed forms, buckling, snap-through, free flight."""
