"""The CX pantograph, rigid and flexible, under a stitched line."""
