"""Simulated intruders, one file per attack; each has a baseline, a control where there can be one, and an interval."""
