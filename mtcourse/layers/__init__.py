"""The Transformer's equations as free functions, and the modules that hold their parameters."""
