"""A line of cables in the plane, beside the linear line."""
