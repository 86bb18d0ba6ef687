"""How fast this package is beside others that do the same work."""
