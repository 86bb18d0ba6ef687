"""The pages of the package list their modules themselves.

A page names packages, and gets a part for each module in them before it is read:

    ```{api} mtcourse.training mtcourse.recipes
    ```

A module that is added needs no line anywhere.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = re.compile(r"^```\{api\} ([\w. ]+)\n```$", re.MULTILINE)
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
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def list_modules(app, docname: str, source: list[str]) -> None:
    """Puts the parts where a page names packages; the page depends on what is in their folders."""
    for names in LISTED.findall(source[0]):
        for folder in (ROOT / name.replace(".", "/") for name in names.split()):
            for place in [folder, *folder.rglob("*/")]:
                app.env.note_dependency(str(place))
    source[0] = expanded(source[0])


def expanded(page: str) -> str:
    """A page with a part for each module of the packages that it names."""
    return LISTED.sub(lambda found: parts_of(found[1].split()), page)


def parts_of(packages: list[str]) -> str:
    """The parts of some packages, in their order; each package's in the order of their names."""
    modules = [module for package in packages for module in modules_of(package)]
    return "\n".join(PART.format(module=module) for module in modules)


def modules_of(package: str) -> list[str]:
    """The public modules of a package, or a module itself."""
    place = ROOT / package.replace(".", "/")
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    named = (file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for file in files)
    return [
        name for name in named if not name.endswith("__init__") and not READ_AS_CODE.search(name)
    ]
