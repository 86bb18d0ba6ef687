"""The pages of the package list their modules themselves.

A page names packages, and gets a part for each module in them before it is read:

    ```{api} mtcourse.training mtcourse.recipes
    ```

A module that is added needs no line anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = re.compile(r"^```\{api\} ([\w. ]+)\n```$", re.MULTILINE)
NOTED = "mtcourse_modules"
"""Where the modules of a page's packages are kept between two builds."""
BEFORE_NAPOLEON = 400
"""Sphinx's default is 500; what has less is called first."""
EMPTY_COMMENT = ["..", ""]
NAMED_DEFAULT = re.compile(r"<(?:(?:built-in )?function |class ')(?:\w+\.)*(\w+)'?>")
NAMELESS_DEFAULT = re.compile(r"<factory>|<function (?:\w+\.)*<lambda>>")
READ_AS_CODE = re.compile(r"\.language(\.|$)|\.exercises(\.|$)|\._")
"""The grammar's floors, the banks of checks and the chapters' questions are read as code."""
PART = """\
## {module}

```{{eval-rst}}
.. automodule:: {module}
   :members:
```
"""


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("source-read", list_modules)
    app.connect("env-get-outdated", find_pages_to_extend)
    app.connect("autodoc-process-docstring", keep_colons, priority=BEFORE_NAPOLEON)
    app.connect("autodoc-process-signature", name_defaults)
    return {"version": "3", "parallel_read_safe": True, "parallel_write_safe": True}


def list_modules(app, docname: str, source: list[str]) -> None:
    """Puts the parts where a page names packages, and notes which modules these have."""
    if listed := LISTED.findall(source[0]):
        app.env.metadata[docname][NOTED] = {
            names: list(modules_in(names.split())) for names in listed
        }
    source[0] = expanded(source[0])


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
    """What is said of a value is a sentence, although it has a colon.

    Napoleon takes what stands before a colon in the first line for the value's type; our values
    have theirs in an annotation. A comment without content, which no page shows, is a first line
    without a colon.
    """
    if what in ("attribute", "data", "property") and lines and ":" in lines[0]:
        lines[:0] = EMPTY_COMMENT


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
