"""Chapter 15, encoder_models."""
