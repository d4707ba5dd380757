"""What all experiments use: the store of records, the runner, measurements and common ensembles."""
