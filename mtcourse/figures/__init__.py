"""Pictures of what the models do."""
