"""Optimised dropper lengths."""
