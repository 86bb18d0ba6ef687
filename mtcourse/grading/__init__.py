"""Exercise notebooks: made from their solutions, run, and counted."""
