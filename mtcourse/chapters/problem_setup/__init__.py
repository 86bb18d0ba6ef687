"""Chapter 1, problem setup."""
