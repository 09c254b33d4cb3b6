"""Co-simulation: two codes, each with its own equations and steps, that meet at exchange times."""
