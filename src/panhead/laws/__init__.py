"""Laws that several rooms need, each written once."""
