"""Linear solver: linear line and lumped pantographs as one system; the fast solver."""
