"""Expected answers, computed by another road than the package's.

Each mechanism's module writes its equations out by hand (checked once with a computer algebra
system), needs NumPy alone and does not import the package. What a mechanism's numbers are
worth, how many digits, which convention, stands in its own docstring.
"""
