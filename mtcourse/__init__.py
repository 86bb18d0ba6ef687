"""Transformers for machine translation: the tested package that the course imports."""

__version__ = "0.1.0"
