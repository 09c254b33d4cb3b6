"""Export of a run as C99: the linear line in real time, its tables, its step read from the kernels, FMUs around it."""
