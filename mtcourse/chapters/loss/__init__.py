"""Chapter 8, loss and gradients."""
