"""A run loads what it computes with, and no more."""

import subprocess
import sys


def test_the_description_of_a_run_loads_neither_optimisers_nor_casadi():
    """They take 0.3 s of processor time, a twelfth of the main job, and only laws of contact or control need them."""
    heavy = "{'casadi', 'scipy.optimize', 'panhead.engine.bodies', 'panhead.files.workbook'}"
    code = f"import sys, panhead.runs.scenarios.output_folder; print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.stdout == "[]\n", answer.stderr
