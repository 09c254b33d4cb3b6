"""The overhead line as cables that bend and stretch, and pantographs of bodies and joints under it."""
