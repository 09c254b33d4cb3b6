"""Methods for any ``System``: statics, modes, time integration, inverse dynamics."""
