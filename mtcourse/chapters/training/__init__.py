"""Chapter 12, training."""
