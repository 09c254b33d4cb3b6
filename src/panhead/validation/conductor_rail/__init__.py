"""An overhead conductor rail: a stiff rail on springs."""
