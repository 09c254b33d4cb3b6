"""Wheel and rail: contact, creep, hunting of a wheelset."""
