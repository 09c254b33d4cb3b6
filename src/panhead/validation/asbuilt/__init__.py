"""A route with planted faults, hung by another road than the fit, and found again."""
