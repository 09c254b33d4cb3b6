"""Kernels of wheels on rails."""
