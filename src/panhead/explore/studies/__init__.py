"""Studies: families of runs, from a list of speeds to ten thousand lines as built."""
