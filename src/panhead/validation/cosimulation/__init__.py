"""Line and pantograph as two codes that meet."""
