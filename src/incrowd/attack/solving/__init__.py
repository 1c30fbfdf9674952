"""What must be true of people, given a release and tables of the same source: counts as constraints, and a solver."""
