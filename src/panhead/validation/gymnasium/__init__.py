"""Control environments: episodes against runs, lanes against single episodes, the plant against NumPy, the ceiling."""
