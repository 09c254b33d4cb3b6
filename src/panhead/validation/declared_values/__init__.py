"""Values that railways declare of their lines, beside what is computed for them from the printed parameters."""
