"""Code and output that fit: lines that wrap with a sign, and what breaks only where it is long.

A line that is wider than its box goes on below, indented a little more than the line itself, and an
arrow stands before each part that goes on. The style sheet draws the arrow, so nobody copies it. A
line of code needs an element of its own for that, which Sphinx does not make.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag

ROOT = Path(__file__).resolve().parents[2]
INDENT = 2
"""How far what goes on stands to the right of where its line began, in characters."""
COLUMNS_OF_A_PHONE = 41
"""Characters of code on a line of a phone."""
LONG_NAME = 12
LONG_VALUE = 120
LONG_RUN = 24
"""Characters of code without a space from which on they may need two lines of a phone."""
AT_MOST = 16
SHORT_CODE = 24
"""Characters of code in a text that stands on one line."""
WHOLE = "mt-whole"
"""What is not divided at the end of a line."""
KEPT = Tag(name="span", attrs={"class": WHOLE})
DRAWN = re.compile(r"[\u2500-\u257f]")
"""Lines and corners of boxes."""
COLUMNS = re.compile(r"^ *(?:\S.*?\S? {2,}\S|(?:tensor\()?\[+ *-?\d+.*,$)", re.MULTILINE)
"""A line with room between its columns, or a row of a matrix."""
HYPHENED = re.compile(r"((?<!\S)(?=\S{2,24}(?!\S))[^\s-]*-\S*)")
"""A word of a command, as ``--out`` or ``my-page``, or an arrow."""
POWER_OF_TEN = re.compile(r"[\d.]+e-\d+")
JOINT = re.compile(
    r"(?:(?<=[\w)\]}])(?==|\.(?!(?:py|md|js|toml|ipynb)\b)|\((?!\)))|(?<=[_/,:=(])(?=\w))"
    r"(?!(?:[^\[\]]|\[[^\[\]]*\])*\])"
)
"""Empty brackets and the ending of a file stay where the name ends; what is in [] stays whole."""
IN_LISTS = re.compile(r"(?<=\w)(?=\.\w)|(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z][a-z])")
"""In the contents, which are narrow, a name may break before a capital, too; a heading may not."""
IN_OUTPUT = re.compile(r"(?<=\w)(?=\.[^\W\d])|(?<=[_|])(?=\w)")
"""Where a long word that a program prints may break: a module's name, the signature of a score."""
MAY_DIVIDE = re.compile(r"[-\s]")
OPTION = re.compile(r"(--\w[\w-]{1,20}(?![\w-]))")
BEFORE_DOTS = re.compile(r"(?<=\w)(?=\.\w)")


def wrap_lines(soup: BeautifulSoup) -> None:
    """Makes each line of code and of output an element, and says how many there are.

    From their number a browser knows about how high a box is before it lays out what it holds.
    """
    for box in soup.select(".highlight > pre, div.output > pre"):
        if box.find(class_="code-line") is None:
            lines = lines_of(box)
            box.clear()
            box.extend(lines)
            on_a_phone = sum(map(height_on_a_phone, lines))
            box["style"] = f"--lines:{len(lines)}"
            if on_a_phone > len(lines):
                box["style"] += f";--lines-on-a-phone:{on_a_phone}"


def keep_drawings(soup: BeautifulSoup) -> None:
    """Marks boxes that a program has drawn, and columns that it printed.

    They scroll where they are too wide: wrapped, they would be torn. How many characters stand on
    their longest line, the style sheet has to know.
    """
    for box in soup.select(".highlight > pre, div.output > pre"):
        text = box.get_text()
        rows = len(COLUMNS.findall(text)) if box.css.closest(".cell_output") else 0
        if DRAWN.search(text) or rows > max(1, len(text.splitlines()) // 2):
            meets = ["joined"] if DRAWN.search(text) else []
            box["class"] = [*box.get("class", []), "drawn", *meets]
            columns = f"--columns:{max(map(len, text.splitlines()))}"
            box["style"] = ";".join(filter(None, [box.get("style"), columns]))
            box["tabindex"] = "0"  # so that the keyboard can scroll it


def lines_of(box: Tag) -> list[Tag]:
    """The lines of a box, each of which keeps its end."""
    lines = split(box)
    if len(lines) > 1 and not "".join(map(text_of, lines[-1])):
        lines.pop()
    return [line_of(parts) for parts in lines]


def height_on_a_phone(line: Tag) -> int:
    """How many lines of a phone one line takes, if it broke after any of its characters."""
    text = line.get_text().rstrip()
    indent = min(len(text) - len(text.lstrip(" ")), AT_MOST) + INDENT
    return 1 + max(0, math.ceil((len(text) - COLUMNS_OF_A_PHONE) / (COLUMNS_OF_A_PHONE - indent)))


def split(box: Tag) -> list[list[Tag | NavigableString]]:
    """What a box holds, line by line; a token of several lines is divided among them."""
    lines: list[list[Tag | NavigableString]] = [[]]
    for child in list(box.contents):
        if isinstance(child, NavigableString):
            first, *others = str(child).split("\n")
            pieces = [[NavigableString(text)] for text in (first, *others)]
        elif "\n" in child.get_text():
            pieces = [[wrapped(child, parts)] for parts in split(child)]
        else:
            pieces = [[child.extract()]]
        lines[-1] += pieces[0]
        lines += pieces[1:]
    return lines


def wrapped(token: Tag, parts: list) -> Tag:
    """A part of a token that looks like the whole."""
    part = Tag(name=token.name, attrs=dict(token.attrs))
    part.extend(parts)
    return part


def text_of(part: Tag | str) -> str:
    """What a reader sees of a part of a line."""
    return part.get_text() if isinstance(part, Tag) else str(part)


def line_of(parts: list) -> Tag:
    """A line as an element that knows how far its code is indented."""
    line = Tag(name="span", attrs={"class": "code-line"})
    text = "".join(map(text_of, parts))
    indent = len(text) - len(text.lstrip(" "))
    if text.strip() and indent:
        line["style"] = f"--indent:{min(indent, AT_MOST) + INDENT}"
    line.extend(
        let_runs_break(keep_signs([part for part in parts if isinstance(part, Tag) or part]))
    )
    line.append("\n")
    return line


def let_runs_break(parts: list) -> list:
    """The parts of a line; what is long without a space may break after brackets, before dots."""
    runs: list[list] = [[]]
    for part in parts:
        if text_of(part)[:1] in " " or (runs[-1] and text_of(runs[-1][-1])[-1:] in " "):
            runs.append([])
        runs[-1].append(part)
    broken: list = []
    for run in runs:
        is_long = max(map(len, "".join(map(text_of, run)).split() or [""])) > LONG_RUN
        for i, part in enumerate(run):
            may_break = (
                is_long and i and (text_of(part) == "." or text_of(run[i - 1])[-1:] in "([,")
            )
            broken += [Tag(name="wbr", can_be_empty_element=True)] if may_break else []
            broken += pieces_of(part) if is_long and not isinstance(part, Tag) else [part]
    return broken


def pieces_of(text: str) -> list:
    """A text of output that may break at the joints of its long words."""
    pieces: list = []
    for word in re.split(r"(?<= )(?=[^ ])", text):
        joints = IN_OUTPUT.split(word) if len(word.strip()) > LONG_RUN else [word]
        for number, piece in enumerate(joints):
            pieces += [Tag(name="wbr", can_be_empty_element=True)] if number else []
            pieces.append(NavigableString(piece))
    return pieces


def keep_signs(parts: list) -> list:
    """The parts of a line; numbers and short words stay whole, a minus stays with what follows."""
    kept: list = []
    for part in parts:
        is_token = isinstance(part, Tag)
        if is_token and kept and isinstance(kept[-1], Tag) and kept[-1].get_text() == "-":
            kept[-1] = wrapped(KEPT, [kept[-1], part])
        elif is_token and any(one.fullmatch(part.get_text()) for one in (POWER_OF_TEN, HYPHENED)):
            kept.append(wrapped(KEPT, [part]))
        elif not is_token and HYPHENED.search(part):
            words = HYPHENED.split(part)
            words[1::2] = [wrapped(KEPT, [NavigableString(word)]) for word in words[1::2]]
            kept += [
                NavigableString(word) if isinstance(word, str) else word for word in words if word
            ]
        else:
            kept.append(part)
    return kept


def drop_long_values(soup: BeautifulSoup) -> None:
    """A constant that holds a program or a page is described by its words, not by its value.

    So is a folder of the machine on which the book is built.
    """
    for value in soup.select("article dt.sig > em.property"):
        if len(text := value.get_text()) > LONG_VALUE or str(ROOT) in text:
            value.decompose()


def let_names_break(soup: BeautifulSoup) -> None:
    """Lets a long name in a text or a table break at its joints, and nowhere else."""
    joints = {
        "article code, article .sig :is(.descname, .descclassname), article td .pre": JOINT,
        "article :is(h2, h3):has(> [href^='#module-'])": BEFORE_DOTS,
        ".page-toc a": IN_LISTS,
        ".indextable li": BEFORE_DOTS,
    }
    for literal, joint in [
        (one, joint) for tags, joint in joints.items() for one in soup.select(tags)
    ]:
        if literal.find("wbr") is not None:
            continue
        for text in list(literal.find_all(string=True)):
            parts = joint.split(str(text))
            if len(text) < LONG_NAME or len(parts) < 2 or (joint is IN_LISTS and " " in text):
                continue
            broken: list = [parts[0]]
            for part in parts[1:]:
                broken += [Tag(name="wbr", can_be_empty_element=True), NavigableString(part)]
            text.replace_with(*broken)
    for bracket in soup.select("article .sig .descname + .sig-paren"):
        bracket.insert_after(Tag(name="wbr", can_be_empty_element=True))


def keep_short_code(soup: BeautifulSoup) -> None:
    """Marks the short pieces of code in a text, and the options of commands, as ``--regrade``.

    They would be divided at a hyphen or a space.
    """
    for code in soup.select("article code.literal"):
        text = code.get_text()
        if len(text) <= SHORT_CODE and MAY_DIVIDE.search(text):
            code["class"] = [*dict.fromkeys([*code.get("class", []), WHOLE])]
            for place in code.find_all("wbr"):
                place.decompose()
            code.smooth()
            continue
        for words in list(code.find_all(string=OPTION)):
            parts: list = OPTION.split(words)
            parts[1::2] = [Tag(name="span", attrs={"class": WHOLE}) for _ in parts[1::2]]
            for part, option in zip(parts[1::2], OPTION.findall(words), strict=True):
                part.string = option
            words.replace_with(*parts)
