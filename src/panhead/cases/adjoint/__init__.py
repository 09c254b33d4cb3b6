"""Exact gradients: their price in forward runs."""
