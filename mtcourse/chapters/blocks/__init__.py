"""Chapter 10, blocks."""
