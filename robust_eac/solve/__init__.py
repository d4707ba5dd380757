"""The solver below its public functions: encoding, small matrices, kernels, starts, descent and alternation."""
