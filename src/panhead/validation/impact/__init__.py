"""Impact and friction with closed forms."""
