"""Checkpoints: stop and resume, one protocol for every time integration and search.

What is computed goes to the folder of its job: ``RunCheckpoints`` save and restore the state of a march,
``EvaluationCache`` the evaluations of a search, ``finished_part`` a whole variant or repeat. What a state consists of
is the march's own affair: see ``checkpoints``. A run of other inputs is never resumed; one whose inputs
cannot be compared is not resumable: it restarts, and says so.
"""

from panhead.runs.checkpoints.disk import RunCheckpoints, run_inputs
from panhead.runs.checkpoints.evaluation_cache import EvaluationCache
from panhead.runs.checkpoints.finished_parts import FINISHED, finished_part

__all__ = ["FINISHED", "EvaluationCache", "RunCheckpoints", "finished_part", "run_inputs"]
