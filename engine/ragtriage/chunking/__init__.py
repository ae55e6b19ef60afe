"""Documents in, offsets out. No chunker ever searches for text."""
