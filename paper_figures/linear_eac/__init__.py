"""Paper 001: linear time evidence accumulation clustering with k-means."""
