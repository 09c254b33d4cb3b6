"""A rubber rod on a hinge."""
