"""The gradient of a run by the numbers of its line and pantograph."""
