"""The exercises at the end of a chapter as cards that can be opened.

A chapter lists its exercises by the names of their functions. Their notebook knows the rest: what
each is called, of what kind it is, how hard it is, how long it takes, and how many points it gives.
The notebook comes with the page, for a download; Colab and Binder open it, too, where the book's
repository is on GitHub.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import nbformat
from docutils import nodes
from publishing import GITHUB, is_on_github, repository_of
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

SECTION = "exercises"
FOLDER = "exercises"
HOW_TO_OPEN = "open-a-notebook"
"""The label of what the page "Set up" says of it; a book without that page has no such link."""
HEADING = re.compile(r"^## \d+\. (.+)$", re.MULTILINE)
FACTS = re.compile(r"^\*(?P<kind>[\w -]+) · (?P<level>[●○]+) · (?P<rest>[^*\n]+)\*$", re.MULTILINE)
OF_ALL = re.compile(r"^\*(\d+ exercises? · [^*\n]+)\*$", re.MULTILINE)
IN_WORDS = {
    "en": ("Exercises:", "{}, about {} minutes"),
    "nl": ("Opgaven:", "{}, ongeveer {} minuten"),
}
LINKS = {
    "en": (
        "Download the notebook",
        "How to open it",
        "Open in Colab",
        "Open in Binder",
        "On GitHub",
    ),
    "nl": ("Notebook downloaden", "Zo open je het", "Open in Colab", "Open in Binder", "Op GitHub"),
}
"""What the links above the cards are called: two that each book has, and those of a repository."""
FACTS_IN = {
    "nl": {
        "easy": "makkelijk",
        "medium": "gemiddeld",
        "hard": "moeilijk",
        "about": "ongeveer",
        "minutes": "minuten",
        "point": "punt",
        "points": "punten",
        "exercise": "opgave",
        "exercises": "opgaven",
    }
}
"""Words of what notebooks say of exercises, which are in English."""
CLAIM = re.compile(r"\b[A-D]\d\d\b")
"""What the documents' equations and statements are called."""
LEVELS = {"●○○": "easy", "●●○": "medium", "●●●": "hard"}


@dataclass(frozen=True)
class Exercise:
    """What a card says of an exercise, beside the chapter's own words."""

    title: str
    kind: str
    level: str
    minutes: str
    points: str


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_transform(MakeCards)
    app.connect("doctree-resolved", link_cloud)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def read_exercises(notebook: Path) -> tuple[str, dict[str, Exercise]]:
    """What a notebook says of all its exercises, and of each."""
    cells = nbformat.read(notebook, as_version=4).cells
    summary = next((found[1] for cell in cells if (found := OF_ALL.search(cell.source))), "")
    exercises = {}
    for cell in cells:
        name = cell.metadata.get("mtcourse", {}).get("for")
        heading, facts = HEADING.search(cell.source), FACTS.search(cell.source)
        if name and heading and facts:
            rest = [part.strip() for part in facts["rest"].split("·")]
            exercises[name] = Exercise(
                title=heading[1].strip(),
                kind=facts["kind"].strip(),
                level=facts["level"],
                minutes=next((part for part in rest if "minute" in part), ""),
                points=next((part for part in rest if "point" in part), ""),
            )
    return summary, exercises


class MakeCards(SphinxTransform):
    """Makes cards of the list of exercises of a chapter that has a notebook."""

    default_priority = 400

    def apply(self, **_) -> None:
        """Sphinx calls this for each page that it reads."""
        env = self.document.settings.env
        stem = PurePosixPath(env.docname).name
        notebook = Path(env.srcdir, FOLDER, f"{stem}.ipynb")
        if not notebook.is_file():
            return
        sections = [of for of in self.document.findall(nodes.section) if SECTION in of["ids"]]
        for section in sections:
            listed = section.next_node(nodes.bullet_list)
            if listed is None:
                continue
            env.note_dependency(str(notebook))
            summary, exercises = read_exercises(notebook)
            listed["classes"].append("exercise-cards")
            for item in listed.children:
                make_card(item, exercises, env.config.language)
            at = section.index(listed)
            section.insert(at, links(notebook, summary, env))
            box = self.document.next_node(nodes.admonition)
            if box is not None and summary:
                box += way_there(summary, env.config.language)


def way_there(summary: str, language: str) -> nodes.paragraph:
    """The last line of the box in which a chapter begins: how many exercises wait at its end."""
    label, _ = IN_WORDS.get(language, IN_WORDS["en"])
    line = nodes.paragraph("", "", nodes.strong("", label), nodes.Text(" "))
    line += nodes.reference("", told_of_all(summary, language), refid=SECTION, internal=True)
    return line


def told_of_all(summary: str, language: str, noun: str = "") -> str:
    """How many exercises there are, and how long they take, in words; noun is what they are."""
    _, told = IN_WORDS.get(language, IN_WORDS["en"])
    count, minutes, *_ = re.findall(r"\d+", summary)
    return told.format(f"{count} {noun}".rstrip(), minutes)


def in_language(facts: str, language: str) -> str:
    """What a notebook says of exercises, in the words of the book's language."""
    words = FACTS_IN.get(language, {})
    return re.sub(r"\w+", lambda found: words.get(found[0], found[0]), facts)


def make_card(item: nodes.list_item, exercises: dict[str, Exercise], language: str) -> None:
    """Adds to an item of the list what the notebook says of its exercise."""
    name = item.next_node(nodes.literal)
    exercise = exercises.get(name.astext()) if name is not None else None
    if exercise is None:
        return
    item["classes"].append("exercise-card")
    title = nodes.paragraph("", exercise.title, classes=["exercise-title"])
    facts = nodes.paragraph("", "", classes=["exercise-facts"])
    level = LEVELS.get(exercise.level, "")
    parts = [level, exercise.minutes, exercise.points]
    for part in filter(None, parts):
        classes = [f"level-{level}"] if part == level else []
        facts += nodes.inline("", in_language(part, language), classes=classes)
    link_claims(item)
    item.insert(0, title)
    item += facts


def link_claims(item: nodes.list_item) -> None:
    """Makes each claim that a card names a link to its entry, in a book that has their index."""
    for text in [
        one for one in item.findall(nodes.Text) if isinstance(one.parent, nodes.paragraph)
    ]:
        parts, end = [], 0
        for found in CLAIM.finditer(text):
            parts.append(nodes.Text(text[end : found.start()]))
            parts.append(
                addnodes.pending_xref(
                    "",
                    nodes.inline("", found[0]),
                    refdomain="std",
                    reftype="ref",
                    reftarget=f"claim-{found[0].lower()}",
                    refexplicit=True,
                    refwarn=False,
                )
            )
            end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def links(notebook: Path, summary: str, env) -> nodes.container:
    """Where the notebook can be had from the book itself, and how it is opened."""
    to_download, to_open, *_ = LINKS.get(env.config.language, LINKS["en"])
    row = nodes.container("", classes=["exercise-links"], notebook=notebook.name)
    line = nodes.paragraph("", "")
    path = f"/{FOLDER}/{notebook.name}"
    download = addnodes.download_reference(
        "", "", reftarget=path, refdoc="", refexplicit=True, refwarn=True, classes=["exercise-link"]
    )
    download += nodes.inline("", to_download)
    line += download
    how = addnodes.pending_xref(
        "",
        nodes.inline("", to_open),
        refdoc=env.docname,
        refdomain="std",
        reftype="ref",
        reftarget=HOW_TO_OPEN,
        refexplicit=True,
        refwarn=False,
        classes=["exercise-link"],
    )
    line += how
    if summary:
        told = in_language(summary, env.config.language)
        line += nodes.inline("", told, classes=["exercise-summary"])
    row += line
    return row


def link_cloud(app, doctree: nodes.document, docname: str) -> None:
    """Adds where others open the notebook, in a book whose repository is on GitHub."""
    address = repository_of(app)
    if not is_on_github(address):
        return
    branch = app.config.html_theme_options["repository_branch"]
    names = LINKS.get(app.config.language, LINKS["en"])[2:]
    for row in doctree.findall(nodes.container):
        if "notebook" in row:
            places = in_the_cloud(address, branch, f"{FOLDER}/{row['notebook']}")
            row.children[0][0:0] = [
                nodes.reference("", name, refuri=place, classes=["exercise-link"])
                for name, place in zip(names, places, strict=True)
            ]


def in_the_cloud(address: str, branch: str, path: str) -> tuple[str, str, str]:
    """Where Colab, Binder and GitHub show a file of the repository."""
    name = address.removeprefix(GITHUB)
    return (
        f"https://colab.research.google.com/github/{name}/blob/{branch}/{path}",
        f"https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{path}",
        f"{address}/blob/{branch}/{path}",
    )
