"""Figures to play with: in a notebook a widget, on a page the same script in plain HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import torch
import traitlets

from mtcourse.errors import MtcourseError
from mtcourse.figures.still import Still

JAVASCRIPT = Path(__file__).parent / "javascript"
CSS = (JAVASCRIPT / "explorers.css").read_text(encoding="utf-8")

ModelFiles = tuple[dict[str, Any], bytes]
"""A model that runs in JavaScript: what describes it, and its weights as a file of safetensors."""
FOLDER = "../_static/translator"
"""Where a page of the book finds the same files."""
LANGUAGE_MODEL_FOLDER = "../_static/language_model"
"""Where a page of the book finds those of the language model."""
WANTED = {"wants": "translator"}
"""What a widget's script sends to its kernel when a reader wants more than the data show."""
LANGUAGE_MODEL_WANTED = {"wants": "language model"}
"""The same for the language model."""


def module(script: Path) -> str:
    """One ES module without imports: all that a script imports, then the script.

    Args:
        script: the file; what it imports are files beside it or given by their relative paths.
    """
    *parts, last = _with_imports(script, {})
    return "".join(re.sub("^export ", "", part, flags=re.MULTILINE) for part in parts) + last


def _with_imports(script: Path, seen: dict[Path, str]) -> list[str]:
    """The texts of a script and of what it imports, each once and after what it needs itself."""
    text = script.read_text(encoding="utf-8")
    for name in re.findall(r'^import [^;]* from "([^"]+)";\n', text, re.MULTILINE):
        imported = (script.parent / name).resolve()
        if imported not in seen:
            _with_imports(imported, seen)
    seen[script.resolve()] = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
    return list(seen.values())


def refuse_unknown(name: str, defaults: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Refuses settings that an explorer does not have; one that computes long asks this first.

    Args:
        name: of the explorer.
        defaults: what its inputs say at first.
        settings: what they are to say instead.

    Raises:
        MtcourseError: a setting is not among the defaults.
    """
    if unknown := sorted(set(settings) - set(defaults)):
        raise MtcourseError(
            f"{name} has no settings {', '.join(unknown)}; it has {', '.join(defaults)}"
        )


class Explorer(anywidget.AnyWidget):
    """A figure with inputs, which needs a kernel neither in a notebook nor on a page.

    Args:
        script: the file of its module, in the folder of its chapter.
        data: what it shows.
        defaults: what its inputs say at first.
        settings: what they say instead.
        otherwise: what a page says where scripts do not run.
        files: makes the files of the model that its script computes with; they are made when a
            reader wants them. None for a script that needs no model.
        language_model: likewise of a language model, for a script that computes with one.
        still: from the settings to the table that stands on a page where scripts do not run.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode(CSS).tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        script: Path,
        data: dict[str, Any],
        defaults: Mapping[str, Any],
        settings: Mapping[str, Any],
        otherwise: str,
        files: Callable[[], ModelFiles] | None = None,
        language_model: Callable[[], ModelFiles] | None = None,
        still: Callable[[Mapping[str, Any]], Still] | None = None,
    ) -> None:
        name = script.parent.name
        if script.stem != "explorer":
            raise MtcourseError(
                f"{script} is not called explorer.js: a chapter has one explorer, with its name"
            )
        refuse_unknown(name, defaults, settings)
        super().__init__(_esm=module(script), data=data, settings={**defaults, **settings})
        self.name, self.script = name, script
        self.otherwise, self.still = otherwise, still
        self.files, self.language_model = files, language_model
        self.on_msg(self._answer)

    def _answer(self, _: Any, message: Any, __: Any) -> None:
        """Sends a model's files to the script that asks for them."""
        for wanted, files in (
            (WANTED, self.files),
            (LANGUAGE_MODEL_WANTED, self.language_model),
        ):
            if message == wanted and files is not None:
                self._send_files(wanted["wants"], files)

    def _send_files(self, name: str, files: Callable[[], ModelFiles]) -> None:
        try:
            model, weights = files()
        except MtcourseError as error:
            self.send({"failed": str(error), "wanted": name})
        else:
            self.send({name: model}, [weights])

    def __repr__(self) -> str:
        return f"<explorer {self.name}>"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        return {**data, "text/html": self.html()}, metadata

    def html(self) -> str:
        """The explorer for a page without a kernel; it loads nothing, so a file may hold it."""
        state = json.dumps({"data": self.data, "settings": self.settings}, separators=(",", ":"))
        state = state.replace("<", r"\u003c")
        host = (JAVASCRIPT / "page_host.js").read_text(encoding="utf-8")
        script = module(self.script).replace("export default", "const explorer =") + host
        script = re.sub(r"^ *//.*\n", "", script, flags=re.MULTILINE)  # comments weigh, too
        script += f"hostAll({json.dumps(self.name)}, {json.dumps(CSS)}, explorer);"
        shown = self.still(self.settings).html() if self.still else ""
        folder = f' data-translator="{FOLDER}"' if self.files else ""
        if self.language_model:
            folder += f' data-language-model="{LANGUAGE_MODEL_FOLDER}"'
        return (
            f'<div class="mtcourse-explorer" data-explorer="{self.name}"{folder}>'
            f'<script type="application/json">{state}</script>'
            f"<noscript><p>{escape(self.otherwise)}</p>{shown}</noscript></div>\n"
            f'<script type="module">\n{script}\n</script>'
        )


def shown_pieces(pieces: Sequence[str]) -> list[str]:
    """Pieces as words; a piece that goes on with the word before it begins with a dot."""
    return [
        f"·{piece}" if piece[0].isalnum() else piece.removeprefix("▁") or piece for piece in pieces
    ]


def rounded(values: torch.Tensor, decimals: int = 3) -> Any:
    """Nested lists that are short in JSON."""
    return torch.round(values.double(), decimals=decimals).tolist()
