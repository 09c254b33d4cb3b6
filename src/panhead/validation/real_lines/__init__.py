"""What real lines have: curves, weather, insulators, droppers that are rods."""
