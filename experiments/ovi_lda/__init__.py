"""Experiments of paper 004, the OVI-LDA index and its consensus."""
