"""Two arms that slide on an elastic beam."""
