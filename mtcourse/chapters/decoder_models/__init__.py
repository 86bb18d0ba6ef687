"""Chapter 13, decoder_models."""
