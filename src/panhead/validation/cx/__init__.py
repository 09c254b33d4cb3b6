"""The CX pantograph as it stands, bends and swings."""
