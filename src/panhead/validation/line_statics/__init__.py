"""How the reference line hangs."""
