"""Beams that bend and twist far in space: closed forms, buckling, snap-through, free flight."""
