"""A run as C99 beside the run itself."""
