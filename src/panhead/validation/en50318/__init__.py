"""The reference model of EN 50318:2002."""
