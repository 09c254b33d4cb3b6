"""Foreign finite-element matrices in a floating frame."""
