"""Design optimisation of a line or a pantograph with exact gradients through whole runs."""
