"""The planar pantograph, without and with optimal control."""
