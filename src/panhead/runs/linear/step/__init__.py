"""One time step of the linear solver by its physics: value, adjoint and parameter derivatives of each part in one
file."""
