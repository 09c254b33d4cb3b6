"""Lines with droppers as a design has found them."""
