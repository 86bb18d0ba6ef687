"""The projects: measures what a learner has written in files of their own."""
