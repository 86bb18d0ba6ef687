"""What is trained, and how."""
