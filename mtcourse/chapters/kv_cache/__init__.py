"""Chapter 14, the key/value cache."""
