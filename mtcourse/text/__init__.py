"""From sentences to padded batches of ids."""
