"""A coach on rough rails and through a curve."""
