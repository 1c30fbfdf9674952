"""A release that was made elsewhere: what its labels stand for, and whose record each may be."""
