"""The workbench: from the end of a drag to a verdict."""
