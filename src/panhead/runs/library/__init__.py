"""Library of models and mechanisms for scenarios."""
