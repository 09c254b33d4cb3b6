"""Calibration: twin experiments, samplers against a closed form, identification of a bench test."""
