"""Checkpoints: stop and resume, one protocol for every time integration and search.

All are stored in the folder of the job: ``RunCheckpoints`` save and restore the state of a time integration,
``EvaluationCache`` the evaluations of a search, ``finished_part`` a whole variant or repeat. Each integration defines
its own state: see ``checkpoints``. A run of other inputs is never resumed; one whose inputs
cannot be compared is not resumable: it restarts, and says so.
"""

from panhead.runs.checkpoints.disk import RunCheckpoints, run_inputs
from panhead.runs.checkpoints.evaluation_cache import EvaluationCache
from panhead.runs.checkpoints.finished_parts import FINISHED, finished_part

__all__ = ["FINISHED", "EvaluationCache", "RunCheckpoints", "finished_part", "run_inputs"]
