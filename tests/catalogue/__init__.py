"""Tests of the grader that start kernels: the catalogue of submissions, and every known mistake."""
