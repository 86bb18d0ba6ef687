"""Chapter 11, worked_example."""
