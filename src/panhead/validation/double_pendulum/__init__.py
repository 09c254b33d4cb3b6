"""A double pendulum on a driven cart."""
