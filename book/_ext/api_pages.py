"""The pages of the package list their modules themselves.

A page names packages, and gets a part for each module in them before it is read:

    ```{api} mtcourse.training mtcourse.recipes
    ```

A module that is added needs no line anywhere. What a module only passes on from another stands
with the other. A formula in a docstring is written as in code, "Q K^T / sqrt(d_k)": a page shows it
with indices and exponents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from docutils import nodes
from sphinx.addnodes import desc_signature, index, pending_xref
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parents[2]
LISTED = re.compile(r"^```\{api\} ([\w. ]+)\n```$", re.MULTILINE)
NOTED = "mtcourse_modules"
"""Where the modules of a page's packages are kept between two builds."""
BEFORE_NAPOLEON = 400
AFTER_NAPOLEON = 600
"""Sphinx's default is 500; what has less is called first."""
HIDDEN_COLON = "\ue000"
WHAT_COMES_BACK = re.compile(r"\s*(Returns|Yields):")
NAMED_DEFAULT = re.compile(r"<(?:(?:built-in )?function |class ')(?:\w+\.)*(\w+)'?>")
NAMELESS_DEFAULT = re.compile(r"<factory>|<function (?:\w+\.)*<lambda>>")
NUMBERED_FIELD = "Alias for field number"
READ_AS_CODE = re.compile(r"\.language(\.|$)|\.exercises(\.|$)|\._")
"""The grammar's floors, the banks of checks and the chapters' questions are read as code."""
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "omega": "ω", "sigma": "σ"}
GREEK |= {"epsilon": "ε", "eta": "η", "mu": "μ", "tau": "τ", "theta": "θ"}
LETTERS = GREEK | {"sum": "Σ", "y-hat": "ŷ"}
LETTER = rf"(?<![\w{{])(?:[d∂]?[^\W\d_]|head|Block|logits|max|sum|y-hat|{'|'.join(GREEK)})"
"""What has indices in a formula."""
INNER = r"\{[^{}]*\}|\([^()]*\)"
SCRIPT = re.compile(
    rf"(?P<marked>{LETTER})(?P<mark>_bar|_hat)|"
    rf"(?:(?P<base>{LETTER})|(?<=[)\]]))_(?P<index>{INNER}|<?[^\W_]+)(?P<over>_bar|_hat)?|"
    rf"(?<=[^\s({{])\^(?P<power>{INNER}|\w+)"
)
"""An index, an exponent, or a sign above a letter."""
SIGNS = {"_bar": "\u0304", "_hat": "\u0302"}
IN_WORDS = {re.compile(rf"\b{name}\b"): letter for name, letter in GREEK.items()} | {
    re.compile(r"\bsqrt(?=\()"): "√",
    re.compile(r"(?:^|(?<=[\w)\]])) \* (?=[\w(])"): " · ",
    re.compile(r"(?:^|(?<=[\w)\]])) - (?=[\w(]|$)"): " − ",
    re.compile(r"(?:^|(?<=[\s(=\[])|(?<=\b[a-z]))-(?=log|inf|sum|sin|\d|$)"): "−",
    re.compile(r" <= "): " ≤ ",
    re.compile(r" >= "): " ≥ ",
    re.compile(r" <- "): " ← ",
}
"""What else of a formula is a word in code."""
AS_IT_IS = (
    nodes.literal,
    nodes.literal_block,
    nodes.doctest_block,
    nodes.strong,
    nodes.title,
    desc_signature,
    pending_xref,
)
PART = """\
## {module}

```{{eval-rst}}
.. automodule:: {module}
   :members:
   :ignore-module-all:
```
"""


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("source-read", list_modules)
    app.connect("env-get-outdated", find_pages_to_extend)
    app.connect("autodoc-process-docstring", keep_colons, priority=BEFORE_NAPOLEON)
    app.connect("autodoc-process-docstring", show_colons, priority=AFTER_NAPOLEON)
    app.connect("autodoc-skip-member", leave_out_numbered_fields)
    app.connect("autodoc-process-signature", show_protocols_bare, priority=BEFORE_NAPOLEON)
    app.connect("autodoc-process-signature", name_defaults)
    app.connect("doctree-read", name_values)
    app.connect("doctree-read", set_formulas)
    app.add_transform(LeaveOutOfIndex)
    return {"version": "4", "parallel_read_safe": True, "parallel_write_safe": True}


def list_modules(app, docname: str, source: list[str]) -> None:
    """Puts the parts where a page names packages, and notes which modules these have."""
    if listed := LISTED.findall(source[0]):
        app.env.metadata[docname][NOTED] = {
            names: list(modules_in(names.split())) for names in listed
        }
    source[0] = expanded(source[0])


class LeaveOutOfIndex(SphinxTransform):
    """Keeps functions and classes out of the book's index, which lists its terms.

    There are some thousand of them, which the search finds, and among which no term was seen.
    """

    default_priority = 840  # before Sphinx collects what the index lists

    def apply(self, **_: object) -> None:
        """Docutils calls this."""
        if NOTED in self.env.metadata[self.env.docname]:
            for entry in list(self.document.findall(index)):
                entry.parent.remove(entry)


def find_pages_to_extend(app, env, added: set, changed: set, removed: set) -> list[str]:
    """The pages whose packages have other modules now; Sphinx knows of changes within a module."""
    return [
        docname
        for docname, noted in env.metadata.items()
        if any(
            modules != list(modules_in(names.split()))
            for names, modules in noted.get(NOTED, {}).items()
        )
    ]


def keep_colons(app, what: str, name: str, obj, options, lines: list[str]) -> None:
    """What is said of a value, or of what comes back, is a sentence, although it has a colon.

    Napoleon takes what stands before a colon in the first line for the type; ours stands in an
    annotation. So it does not see this colon.
    """
    firsts = [0] if what in ("attribute", "data", "property") else []
    firsts += [i for i, line in enumerate(lines, 1) if WHAT_COMES_BACK.fullmatch(line)]
    for i in firsts:
        lines[i : i + 1] = [line.replace(":", HIDDEN_COLON) for line in lines[i : i + 1]]


def show_colons(app, what: str, name: str, obj, options, lines: list[str]) -> None:
    """Puts the colons back that were hidden."""
    lines[:] = [line.replace(HIDDEN_COLON, ":") for line in lines]


def leave_out_numbered_fields(app, what: str, name: str, obj, skip: bool, options) -> bool | None:
    """Of the fields of a named tuple Python says only a number: the class says what they are."""
    return True if (getattr(obj, "__doc__", None) or "").startswith(NUMBERED_FIELD) else None


def show_protocols_bare(
    app, what: str, name: str, obj, options, signature: str | None, returns: str | None
) -> tuple[str, None] | None:
    """A protocol has no signature, because none is made: Python's says ``(*args, **kwargs)``."""
    return ("", None) if Protocol in getattr(obj, "__bases__", ()) else None


def name_defaults(
    app, what: str, name: str, obj, options, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """A default that is a function or a class stands in a signature by its name, as in the code.

    Python shows it as ``<function f>``, and Sphinx, which cannot read that, then shows the whole
    signature as it is, without links and with each name's module. One without a name becomes "...".
    """
    if signature is not None:
        signature = NAMELESS_DEFAULT.sub("...", NAMED_DEFAULT.sub(r"\1", signature))
    return signature, returns


def name_values(app, doctree: nodes.document) -> None:
    """A value that holds functions or classes shows them by their names, as defaults do."""
    for signature in doctree.findall(desc_signature):
        for text in list(signature.findall(nodes.Text)):
            if NAMED_DEFAULT.search(text):
                text.parent.replace(text, nodes.Text(NAMED_DEFAULT.sub(r"\1", text)))


def set_formulas(app, doctree: nodes.document) -> None:
    """Sets the formulas in the docstrings of a page of the package."""
    if NOTED not in app.env.metadata[app.env.docname]:
        return
    for text in list(doctree.findall(nodes.Text)):
        if not any(isinstance(above, AS_IT_IS) for above in ancestors(text)):
            parts = formula_nodes(text.astext())
            if len(parts) > 1 or parts[0].astext() != text.astext():
                text.parent.replace(text, parts)


def ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    """The nodes in which a node stands, from the inside to the outside."""
    while node.parent is not None:
        node = node.parent
        yield node


def formula_nodes(text: str) -> list[nodes.Node]:
    """A text with indices and exponents where a formula has them."""
    parts: list[nodes.Node] = []
    end = 0
    for found in SCRIPT.finditer(text):
        letter = found["marked"] or found["base"] or ""
        mark = SIGNS.get(found["mark"] or found["over"], "")
        parts.append(nodes.Text(in_signs(text[end : found.start()])))
        parts.append(nodes.Text(LETTERS.get(letter, letter) + mark))
        for kind, name in ((nodes.subscript, "index"), (nodes.superscript, "power")):
            if script := found[name]:
                inner = script[1:-1] if script[0] in "{(" else script
                parts.append(kind("", "", *formula_nodes(inner)))
        end = found.end()
    parts.append(nodes.Text(in_signs(text[end:])))
    return [part for part in parts if part.astext()]


def in_signs(text: str) -> str:
    """A text in which the words of a formula are signs."""
    for word, sign in IN_WORDS.items():
        text = word.sub(sign, text)
    return text


def expanded(page: str) -> str:
    """A page with a part for each module of the packages that it names."""
    return LISTED.sub(lambda found: parts_of(found[1].split()), page)


def parts_of(packages: list[str]) -> str:
    """The parts of some packages, in their order; each package's in the order of their names."""
    return "\n".join(PART.format(module=module) for module in modules_in(packages))


def modules_in(packages: list[str]) -> Iterator[str]:
    """The public modules of some packages, in the order of both."""
    for package in packages:
        yield from modules_of(package)


def modules_of(package: str) -> list[str]:
    """The public modules of a package, or a module itself."""
    place = ROOT / package.replace(".", "/")
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    named = (file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for file in files)
    return [
        name for name in named if not name.endswith("__init__") and not READ_AS_CODE.search(name)
    ]
