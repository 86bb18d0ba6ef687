"""The bibliography in the order of names: that of an organisation stands among those of people.

BibTeX keeps such a name together by braces, as in ``author = {{PyTorch}}``, and pybtex takes the
first brace for its first letter.
"""

from __future__ import annotations

import re

from pybtex.database import Person
from pybtex.plugin import register_plugin
from pybtex.style.formatting.alpha import Style
from pybtex.style.sorting.author_year_title import SortingStyle

NAME = "mtcourse"
"""What ``_config.yml`` calls this style."""
BRACES = re.compile(r"[{}\\]")


def setup(app) -> dict:
    """Sphinx calls this."""
    register_plugin("pybtex.style.sorting", NAME, NamesInOrder)
    register_plugin("pybtex.style.formatting", NAME, BookStyle)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class NamesInOrder(SortingStyle):
    """By author, year and title, whatever is in braces."""

    def person_key(self, person: Person) -> str:
        """What a name is sorted by."""
        return BRACES.sub("", super().person_key(person))


class BookStyle(Style):
    """Sphinx's own style in another order."""

    default_sorting_style = NAME
