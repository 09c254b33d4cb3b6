"""Ways to compute a run: linear line, line of cables, two codes coupled."""
