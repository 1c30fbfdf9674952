"""One file for each command: what is asked of incrowd, as a function that Python calls too."""
