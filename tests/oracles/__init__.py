"""Expected answers, computed by another road than the package's.

Each module writes one mechanism's equations out by hand (checked once with a computer algebra
system) and needs NumPy alone; none imports the package. What a mechanism's numbers are
worth, how many digits, which convention, stands in its own docstring.
"""
