"""What every solver is made of: encoding, small matrices, kernels, sweeps, starts, rotations."""
