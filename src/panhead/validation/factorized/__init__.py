"""Mechanisms in factorized form: crank and rod, variator, robot of two links."""
