"""Moving loads on strings, beams and cables."""
