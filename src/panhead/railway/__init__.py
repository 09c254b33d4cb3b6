"""Railway components: overhead line, pantographs, vehicles on rails; descriptions and models, no solver."""
