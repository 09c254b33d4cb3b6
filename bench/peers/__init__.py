"""Peer programs on the benchmark problems, tuned for speed at a usable accuracy.

Each peer is a module with ``time_per_step(...) -> dict``: it runs in a separate process,
on one core, and returns milliseconds per step, Newton iterations per step and the solution.
"""
