"""Experiments of paper 001, consensus in linear time."""
