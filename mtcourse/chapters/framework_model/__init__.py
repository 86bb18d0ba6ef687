"""Chapter 7, document A's model."""
