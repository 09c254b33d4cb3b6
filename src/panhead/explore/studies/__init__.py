"""Studies: families of runs, from a list of speeds to thousands of lines with tolerances."""
