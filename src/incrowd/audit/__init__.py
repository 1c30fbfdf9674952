"""What is kept of a run: its log, its manifest and its seal, as values that others read."""
