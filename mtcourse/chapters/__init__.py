"""The course: a folder for each chapter, with all that only this chapter needs."""
