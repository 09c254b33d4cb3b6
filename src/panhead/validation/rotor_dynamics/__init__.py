"""Whirling of a rotor: frequencies over the speed against closed forms and against its motion in time."""
