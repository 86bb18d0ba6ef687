"""What a cell prints stands on the page as a table or as sentences, where it is no code.

A notebook shows columns that spaces align; on the page they are cells, which wrap on a phone, can
be read aloud row by row, and keep their digits one below the other. A matrix of PyTorch is a matrix
on the page. Lines of words are sentences on the page. An output of which only a part would be a
table or a sentence stays as it was printed: there, its lines belong together.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

FEWEST = 2
"""Lines that make a table, a line of titles not counted."""
WIDEST = 56
"""Characters in a cell; what is longer is a sentence."""
CODE = re.compile(
    r"\].*\[|tensor\(|array\(|\[\[|^\s*[\[\]()|+#]|^\s*<(?!\s*[\d.])|[{}]|->|[│─█▁]{2}|"
    r"\bdef \b|Error\b|^\s*File |\s# |[a-z],\w*,\w*,|"
    r"(^|\s)[.x]{4,}(\s|$)"  # a mark for each row or token, which stand one below the other
)
SENTENCE = re.compile(r";|[^\W\d_],$")
"""In what is no cell, but a part of a sentence."""
ASIDE = re.compile(r"\([^()]*\)")
NO_WORDS = re.compile(r"[\[\]▁]|<\w")
"""In what is no sentence: lists, pieces and tokens."""
APART = re.compile(r"(?<=\S)\s{2,}(?=\S)")
ALIGNS = re.compile(r"(?<=[^\W\d]|[=:]) {2,}(?=[-+−]?\d)| +(?=:(?:\s|$))")
"""A gap that only puts a number, or a colon, below those of other lines."""
LABEL = re.compile(r"([^:]*\w\)?):\s+(\S.*)")
MATRIX = re.compile(r"tensor\((\[\[[^\[\]]*\](?:,\s*\[[^\[\]]*\])*\])(?:,\s*dtype=[\w.]+)?\)")
MOST_COLUMNS = 12
NUMBER = re.compile(
    r"[-−+±≈<>~]?\d[\d,.]*(e[-+]?\d+)?( of \d[\d,]*)?(\s?(%|×|s|ms|h|MB|kB|GB))?|nan|-?inf"
)


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_post_transform(TabulateOutputs)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class TabulateOutputs(SphinxPostTransform):
    """Makes tables of the columns in what cells printed."""

    default_priority = 180
    formats = ("html",)

    def run(self, **_) -> None:
        """Sphinx calls this for each page that is written."""
        for output in list(self.document.findall(nodes.literal_block)):
            above = output.parent
            if "output" not in output["classes"] or above.get("nb_element") != "cell_code_output":
                continue
            text = output.astext()
            if holds_tables(text) or sentences_of(text.split("\n")):
                at = above.index(output)
                above[at : at + 1] = [node_of(block, output) for block in blocks_of(text)]


@dataclass(frozen=True)
class Block:
    """A table, or lines that are none."""

    rows: list[list[str]]
    titled: bool = False
    matrix: bool = False
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """What the lines of one table have in common.

    Args:
        columns: how many there are.
        is_labelled: whether there are two, with a colon between them and no space before it.
        indent: how far in such lines begin; one that is further in belongs to the one above.
        labels: what stands before a colon within each cell but the first.
    """

    columns: int
    is_labelled: bool
    indent: int
    labels: tuple[str, ...]


def blocks_of(text: str) -> list[Block]:
    """Divides what was printed into tables and other lines."""
    lines = text.rstrip("\n").split("\n")
    blocks: list[Block] = []
    place = 0
    while place < len(lines):
        end, block = matrix_from(lines, place)
        if block is None:
            end, block = table_from(lines, place)
        if block is None:
            end = place + 1
            before = blocks.pop().lines if blocks and not blocks[-1].rows else ()
            block = Block([], lines=(*before, lines[place]))
        blocks.append(block)
        place = end
    return [block for block in blocks if block.rows or any(line.strip() for line in block.lines)]


def sentences_of(lines: Iterable[str]) -> list[str]:
    """What lines say, one sentence after another; none where one of them is no sentence."""
    found: list[str] = []
    for line in filter(str.strip, without_gaps(lines)):
        words = re.sub(r":\s+", ": ", line.rstrip().replace(" -> ", " → "))
        if found and found[-1].endswith((",", ";")):
            found[-1] += f" {words.strip()}"
        else:
            found.append(words)
    return found if all(map(is_sentence, found)) else []


def without_gaps(lines: Iterable[str]) -> list[str]:
    """Lines in which a colon follows what names them, and no gap aligns anything with others."""
    lines = [line.rstrip() for line in lines]
    ends = {gap.end() for gap in map(APART.search, lines) if gap and not gap[0].endswith(":")}
    if len(ends) == 1:
        (column,) = ends
        names = {line: name for line in lines if (name := name_before(column, line)) is not None}
        if len(names) > 1 and len({*names.values(), ""}) == len(names) + 1:
            lines = [f"{names[line]}: {line[column:]}" if line in names else line for line in lines]
    return [ALIGNS.sub(" ", line).replace(" :", ":") for line in lines]


def name_before(column: int, line: str) -> str | None:
    """What names a line, if the rest of it begins in this column; None if it does not."""
    name = line[:column].rstrip()
    begins = line[column - 1 : column] == " " and line[column:].strip() != ""
    if not begins or (APART.search(line) is None and "," in name):
        return None
    return name.removesuffix(":").rstrip()


def is_sentence(text: str) -> bool:
    """Whether something that was printed can be read as words."""
    reads = not (text.startswith(" ") or CODE.search(text) or NO_WORDS.search(text))
    return reads and APART.search(text) is None and len(re.findall(r"[^\W\d_]{2,}", text)) > 1


def holds_tables(text: str) -> bool:
    """Whether each paragraph of an output is a table, or none; above and below may stand lines.

    Tables between which other lines stand, or tables of two kinds in a row, were one thing.
    """
    paragraphs = [blocks_of(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
    has_table = [any(block.rows for block in blocks) for blocks in paragraphs]
    return any(has_table) and all(map(is_whole, paragraphs))


def is_whole(blocks: list[Block]) -> bool:
    """Whether no part of a paragraph is missing in its table, if it has one."""
    runs = [list(run) for _, run in itertools.groupby(blocks, lambda block: bool(block.rows))]
    tables = [run for run in runs if run[0].rows]
    others = [block for run in runs if not run[0].rows for block in run]
    return (
        len(tables) < 2
        and all(len(run) == 1 or all(block.matrix for block in run) for run in tables)
        and not any(map(in_columns, others))
        and not (tables and any(block.lines[0].startswith("  ") for block in others))
    )


def in_columns(block: Block) -> bool:
    """Whether lines that are no table look as if they belonged to one."""
    return any(APART.search(line) and not CODE.search(line) for line in block.lines)


def matrix_from(lines: list[str], first: int) -> tuple[int, Block | None]:
    """The matrix of PyTorch that begins with a line, and the line behind it."""
    if not lines[first].startswith("tensor([["):
        return first, None
    end = first + 1
    while end < len(lines) and re.match(r"\s+\[", lines[end]):
        end += 1
    found = MATRIX.fullmatch("".join(lines[first:end]).strip())
    if found is None:
        return first, None
    rows = [
        [entry.strip().rstrip(".") for entry in row.split(",") if entry.strip()]
        for row in re.findall(r"\[([^\[\]]+)\]", found[1])
    ]
    fits = len({len(row) for row in rows}) == 1 and len(rows[0]) <= MOST_COLUMNS
    return (end, Block(rows, matrix=True)) if fits else (first, None)


def table_from(lines: list[str], first: int) -> tuple[int, Block | None]:
    """The table that begins with a line, and the line behind it."""
    kind = kind_of(lines[first])
    if kind is None:
        return first, None
    run = list(itertools.takewhile(lambda line: kind_of(line) == kind, lines[first + 1 :]))
    rows = [cells_of(line) for line in (lines[first], *run)]
    if not run and first + 1 < len(lines):  # titles above all columns but the first
        below = kind_of(lines[first + 1])
        if below and below.columns == kind.columns + 1 and lines[first].startswith("  "):
            end, block = table_from(lines, first + 1)
            if block is not None and not block.titled and not numbers_in(rows[0]):
                return end, Block([["", *rows[0]], *block.rows], titled=True)
    titled = not numbers_in(rows[0]) and len(rows) > 1 and all(map(numbers_in, rows[1:]))
    titled = titled and not kind.is_labelled
    if len(rows) - titled < FEWEST:
        return first, None
    return first + len(rows), Block(rows, titled)


def kind_of(line: str) -> Kind | None:
    """What the lines of one table have in common; None where a line has no columns."""
    cells = cells_of(line)
    if CODE.search(line) or len(cells) < 2 or max(map(len, cells)) > WIDEST or "" in cells:
        return None
    if any(SENTENCE.search(cell) or cell.startswith(":") for cell in cells):
        return None
    parts = [ASIDE.sub("", cell).split(": ") for cell in cells[1:]]
    if any(len(part) > 2 for part in parts):
        return None
    is_labelled = len(cells) == 2 and LABEL.match(APART.split(line.strip())[0] + " x") is not None
    return Kind(
        columns=len(cells),
        is_labelled=is_labelled,
        indent=len(line) - len(line.lstrip()) if is_labelled else 0,
        labels=tuple(part[0] if len(part) == 2 else "" for part in parts),
    )


def cells_of(line: str) -> list[str]:
    """The cells of a line: what stands far apart, or else a label and what it labels."""
    cells = APART.split(line.strip())
    label = LABEL.fullmatch(cells[0]) if len(cells) == 1 else None
    return list(label.groups()) if label else [cell.removesuffix(":").rstrip() for cell in cells]


def numbers_in(row: list[str]) -> int:
    return sum(NUMBER.fullmatch(cell) is not None for cell in row)


def node_of(block: Block, output: nodes.literal_block) -> nodes.Node:
    """A block as a part of the page."""
    if sentences := sentences_of(block.lines):
        # A signature of a score is one word, and breaks between its parts.
        written = (re.sub(r"\|(?=\S)", "|<wbr>", html.escape(sentence)) for sentence in sentences)
        words = "".join(f"<p>{sentence}</p>" for sentence in written)
        return nodes.raw("", f'<div class="printed-words">{words}</div>', format="html")
    if not block.rows:
        lines = output.deepcopy()
        lines.children = []
        text = "\n".join(block.lines)
        lines.rawsource = text
        lines += nodes.Text(text)
        return lines
    rows = ["".join(cell_of(cell, "td") for cell in row) for row in block.rows]
    head = ""
    if block.titled:
        titles = "".join(cell_of(cell, "th" if cell else "td") for cell in block.rows[0])
        head, rows = f"<thead><tr>{titles}</tr></thead>", rows[1:]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    kind = "printed-matrix" if block.matrix else "printed-table"
    table = f'<table class="table {kind}">{head}<tbody>{body}</tbody></table>'
    return nodes.raw("", f'<div class="printed">{table}</div>', format="html")


def cell_of(text: str, name: str) -> str:
    scope = ' scope="col"' if name == "th" else ""
    return f"<{name}{scope}>{html.escape(text)}</{name}>"
