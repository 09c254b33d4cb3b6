"""Design: which change of a line or a pantograph serves best, by exact gradients through whole runs."""
