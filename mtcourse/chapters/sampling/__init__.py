"""Chapter 19, sampling: what only its pages use."""
