"""What a run leaves behind for people to read: charts, reports, dictionary, manifest."""
