"""Paper 000: evidence accumulation clustering using combinations of features."""
