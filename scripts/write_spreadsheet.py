"""Writes the spreadsheet of chapter 11 to the book, where the chapter offers it as a download.

python scripts/write_spreadsheet.py
"""

from pathlib import Path

from mtcourse.chapters.worked_example.spreadsheet import write_spreadsheet

if __name__ == "__main__":
    write_spreadsheet(Path(__file__).parents[1] / "book" / "11_worked_example.xlsx")
