"""Chapter 16, fine_tuning."""
