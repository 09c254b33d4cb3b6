"""Features of real lines: curves, weather, insulators, rod droppers."""
