"""One file for each engine; each keeps its engine's messages to itself."""
