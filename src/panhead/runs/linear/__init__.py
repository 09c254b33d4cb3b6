"""The fast solver: a linear line, pantographs as chains of masses, one system."""
