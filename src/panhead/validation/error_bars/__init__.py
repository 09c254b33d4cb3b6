"""Error bars against true errors: random runs, each compared with itself on a much finer mesh."""
