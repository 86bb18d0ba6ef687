"""Layers wired into models."""
