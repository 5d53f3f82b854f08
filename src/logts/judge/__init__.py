"""Whether the evidence suffices, and what the answer is."""
