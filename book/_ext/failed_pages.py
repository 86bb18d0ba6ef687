"""A page whose code failed says so at its top, and the build says where it failed.

Jupyter Book goes on without the outputs of the cells that were not run: the reader must not take
such a page for a whole one.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from docutils import nodes

LIST = Path("reports") / "failed_cells.txt"
HEADING = "This page is incomplete"
NOTICE = (
    "Its code stopped with an error when the book was built. Figures, tables and numbers below may "
    "be missing, or may not fit the text."
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("doctree-read", show_notice)
    app.connect("build-finished", list_failed_cells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def has_failed(env, docname: str) -> bool:
    """Whether a page was run and did not reach its end."""
    executed = getattr(env, "nb_metadata", {}).get(docname, {}).get("exec_data")
    return executed is not None and not executed["succeeded"]


def show_notice(app, doctree: nodes.document) -> None:
    """Puts a notice below the title of a page that failed."""
    if not has_failed(app.env, app.env.docname):
        return
    notice = nodes.admonition("", classes=["danger", "page-failed"])
    notice += [nodes.title("", HEADING), nodes.paragraph("", NOTICE)]
    section = next(doctree.findall(nodes.section), doctree)
    section.insert(section.first_child_matching_class(nodes.title) is not None, notice)


def list_failed_cells(app, exception) -> None:
    """Leaves beside the tracebacks a list of the cells that failed, if any did."""
    if app.env is None:
        return
    failed = [page for page in sorted(app.env.found_docs) if has_failed(app.env, page)]
    entries = [describe_page(app, page) for page in failed]
    if exception is not None and (page := app.env.temp_data.get("docname")):
        error = f"{type(exception).__name__}: {exception}"
        entries.append(
            f"{source_of(app, page)}: the build stopped while it read this page\n{error}"
        )
    listing = Path(app.outdir) / LIST
    listing.unlink(missing_ok=True)
    if entries:
        listing.parent.mkdir(parents=True, exist_ok=True)
        listing.write_text("\n\n".join(entries) + "\n", encoding="utf-8")


def source_of(app, docname: str) -> str:
    """A page's source as it is written from the root of the project."""
    return Path(app.env.doc2path(docname)).relative_to(app.srcdir).as_posix()


def describe_page(app, docname: str) -> str:
    """Where a page failed: its file and line, the cell, and the error."""
    executed = Path(app.env.mystnb_config.output_folder, f"{docname}.ipynb")
    notebook = json.loads(executed.read_text(encoding="utf-8"))
    source = Path(app.env.doc2path(docname)).read_text(encoding="utf-8").splitlines()
    log = app.env.nb_metadata[docname]["exec_data"]["traceback"]
    return f"{source_of(app, docname)}:{describe_failure(notebook, source, log)}"


def describe_failure(notebook: dict, page: list[str], log: str) -> str:
    """The line of a page at which its code failed, the cell, that line's code, and the error.

    Args:
        notebook: as it was run, with the line at which each cell begins.
        page: its source's lines.
        log: of what ran the notebook.
    """
    begins = notebook["metadata"]["source_map"]
    cells = zip(notebook["cells"], begins, strict=True)
    code = [(cell, begin) for cell, begin in cells if cell["cell_type"] == "code"]
    # Nothing is run after the cell that fails.
    number = max((n for n, (cell, _) in enumerate(code, 1) if cell["execution_count"]), default=1)
    cell, begin = code[number - 1]
    lines = "".join(cell["source"]).splitlines()
    at = failed_line(cell)
    first = page.index(lines[0], begin) if lines[0] in page[begin:] else begin
    return (
        f"{first + at}: code cell {number}, which begins with {lines[0].strip()!r}, failed at\n"
        f"    {lines[at - 1].strip()}\n{last_error(cell, log)}"
    )


def errors_of(cell: dict) -> list[dict]:
    """The outputs of a cell that are errors."""
    return [output for output in cell["outputs"] if output["output_type"] == "error"]


def failed_line(cell: dict) -> int:
    """The line of a cell at which it failed; the first, where no traceback says so."""
    frame = rf"Cell In\[{cell['execution_count']}\], line (\d+)"
    for error in errors_of(cell):
        if line := re.search(frame, COLOUR.sub("", "\n".join(error["traceback"]))):
            return int(line[1])
    return 1


def last_error(cell: dict, log: str) -> str:
    """What ended a cell, as Python prints it below a traceback."""
    # A cell that takes too long is interrupted, which is an error in the cell too.
    if late := re.search(r"^\S*CellTimeoutError: (.*)", log, re.MULTILINE):
        return late[1]
    for error in errors_of(cell):
        return f"{error['ename']}: {error['evalue']}".removesuffix(": ")
    return log.strip().splitlines()[-1]
