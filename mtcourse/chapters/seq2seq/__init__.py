"""Chapter 17, sequence to sequence."""
