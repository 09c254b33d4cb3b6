"""One step of the linear solver, by its physics: value, adjoint and parameter derivatives of a thing in one file."""
