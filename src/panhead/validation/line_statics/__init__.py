"""Statics of the EN 50318 reference line."""
