"""Cable solver: overhead line as cables of large deflection, pantographs of bodies and joints."""
