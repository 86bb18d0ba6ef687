"""Chapter 4, attention."""
