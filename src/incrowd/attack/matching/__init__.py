"""What several attacks share: which records can be whose, by labels, bands, numbers and other files."""
