"""Error bars beside errors: runs drawn at random, each set against itself on a much finer mesh."""
