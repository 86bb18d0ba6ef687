"""Exercise notebooks: made from solution notebooks, run, and graded."""
