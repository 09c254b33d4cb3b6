"""Independent answers live in ``tests/oracles``; tests import them as ``oracles``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
