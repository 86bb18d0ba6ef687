"""From next-token distributions to sentences."""
