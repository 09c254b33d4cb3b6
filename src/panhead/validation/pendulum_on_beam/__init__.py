"""Double pendulum that slides on an elastic beam."""
