"""Chapter 5, masks."""
