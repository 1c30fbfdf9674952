"""What a review board asks: the points, the guides, what remains, and which tier the evidence supports."""
