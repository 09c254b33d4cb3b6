"""Commented files to start from, and the prompts that fill them in."""
