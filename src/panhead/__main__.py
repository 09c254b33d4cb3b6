"""``python -m panhead`` is the command ``panhead``."""

from panhead.app.cli import main

main()
