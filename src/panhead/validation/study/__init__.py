"""Studies: known answers, batched runs against single runs, interruption and resumption."""
