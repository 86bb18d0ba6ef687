"""Chapter 6, cross-attention."""
