"""Other programs on the problems of the bench, set up for speed at a usable accuracy.

Each peer is a module with ``time_per_step(...) -> dict``: it runs alone in a process of its own,
on one core, and hands back milliseconds a step, Newton iterations a step and the answer.
"""
