"""As-built assurance of a route: fit every tension length to surveys, cost its deviations, list the repairs."""
