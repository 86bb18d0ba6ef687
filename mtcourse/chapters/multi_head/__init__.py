"""Chapter 9, heads."""
