"""Co-simulation solver: line and pantograph as two codes that exchange forces and heights."""
