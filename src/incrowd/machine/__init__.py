"""The machine underneath: paths, private files, programs that are started, and being stopped."""
