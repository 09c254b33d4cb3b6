"""Gradients of a run with respect to parameters of line and pantograph."""
