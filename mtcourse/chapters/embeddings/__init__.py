"""Chapter 2, embeddings."""
