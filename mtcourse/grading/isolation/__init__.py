"""Kernels for other people's code, kept apart from the grader and from each other."""
