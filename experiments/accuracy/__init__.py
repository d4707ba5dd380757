"""How good the consensus is: beside other methods, beside lower bounds, and by its settings."""
