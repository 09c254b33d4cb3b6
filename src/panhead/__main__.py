"""``python -m panhead`` is the command ``panhead``."""

from panhead.cli import main

main()
