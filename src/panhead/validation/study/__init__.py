"""Studies: answers that are known beforehand, runs side by side, work that is interrupted."""
