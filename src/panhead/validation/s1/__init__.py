"""The CX pantograph of bodies under a line of cables."""
