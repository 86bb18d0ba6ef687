"""Isolated kernels, which keep untrusted code away from the grader and from other kernels."""
