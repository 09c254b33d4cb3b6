"""Studies (families of runs) and design optimisation."""
