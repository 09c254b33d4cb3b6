"""Contact with friction in space against closed forms: more contacts than freedoms, balls, rows of touching bodies."""
