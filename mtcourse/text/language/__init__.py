"""The built-in language: its words, its abstract syntax, and its two linearisers."""
