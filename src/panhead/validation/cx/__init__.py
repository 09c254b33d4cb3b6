"""CX pantograph: statics, flexible members and modes."""
