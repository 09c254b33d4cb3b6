"""Equations of motion as tables of elements: the common form of multibody models and symbolic mechanisms."""
