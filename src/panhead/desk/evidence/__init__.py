"""After the run: several results side by side, curves and tables of one, upkeep, and evidence for an approval."""
