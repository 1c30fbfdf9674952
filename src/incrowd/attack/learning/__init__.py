"""Models that an intruder trains on a release, and how they are given keys and values."""
