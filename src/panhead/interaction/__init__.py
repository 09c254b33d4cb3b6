"""Pantographs under an overhead line: the fast linear path."""
