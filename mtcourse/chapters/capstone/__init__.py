"""Chapter 20, the capstone: a translator of the reader's own."""
