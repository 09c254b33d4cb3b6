"""Models and mechanisms that scenarios name."""
