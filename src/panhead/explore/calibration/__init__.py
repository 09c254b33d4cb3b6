"""Calibration: parameters of line, pantograph and train from measured passages, and a pantograph from a bench test."""
