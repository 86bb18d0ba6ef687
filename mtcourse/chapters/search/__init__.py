"""Chapter 18, search."""
