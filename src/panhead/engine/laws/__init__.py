"""Constitutive laws used by several packages, each written once.

A law is a plain function of arithmetic and comparisons alone; a comparison counts as 1 or 0. So the same lines take
numbers, NumPy arrays and CasADi expressions, and Numba compiles them as they stand (``compiled_laws.py``).
"""
