"""Files become descriptions here, results become files; units at the door."""
