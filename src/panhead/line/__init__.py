"""The overhead contact line: described in words, strung, and made linear for the fast solver."""
