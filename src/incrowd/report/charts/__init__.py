"""Charts, each a function of the values it shows."""
