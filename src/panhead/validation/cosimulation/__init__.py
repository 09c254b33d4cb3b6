"""Co-simulation of line and pantograph."""
