"""Gradients of motions of bodies and joints by every number, against new motions and a closed form."""
