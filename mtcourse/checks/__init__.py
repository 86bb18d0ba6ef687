"""What a teacher looks for in an answer, and which mistakes it knows by name."""
