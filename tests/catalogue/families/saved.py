"""Honest notebooks, however they are saved: cells moved and changed, ids and metadata lost."""

from __future__ import annotations

import base64
from typing import Any

from tests.catalogue.case import Case
from tests.catalogue.returned import (
    add_cell,
    answer_cell,
    cell_with_id,
    check_cell,
    handed_out,
    right_answers,
    told,
)

ALL_FALSE = "def leaking_rows(mask, lengths):\n    return torch.zeros(len(lengths), len(mask)) > 0"
CAUSAL = right_answers("05_masks")["causal_mask"]
DECODER = right_answers("05_masks")["decoder_mask"]


def untouched(notebook: dict[str, Any]) -> dict[str, Any]:
    return handed_out("05_masks")


def some_open(notebook: dict[str, Any]) -> None:
    fresh = handed_out("05_masks")
    for name in ("allowed_pairs", "hidden_weight"):
        answer_cell(notebook, name)["source"] = answer_cell(fresh, name)["source"]


def import_in_given_cell(notebook: dict[str, Any]) -> None:
    cell = cell_with_id(notebook, "imports")
    cell["source"] = "import numpy as np\n" + "".join(cell["source"])


def import_beside_the_first_magic(notebook: dict[str, Any]) -> None:
    cell = cell_with_id(notebook, "install")
    cell["source"] = ["import torch.nn.functional as F\n", *cell["source"]]


def import_in_check_cell(notebook: dict[str, Any]) -> None:
    cell = check_cell(notebook, "causal_mask")
    cell["source"] = ["import functools\n", *cell["source"]]


def answer_below_the_stub(notebook: dict[str, Any]) -> None:
    answer_cell(notebook, "causal_mask")["source"] = answer_cell(
        handed_out("05_masks"), "causal_mask"
    )["source"]
    add_cell(notebook, CAUSAL, before=check_cell(notebook, "causal_mask"))


def answer_in_a_cell_of_its_own(notebook: dict[str, Any]) -> None:
    notebook["cells"].remove(answer_cell(notebook, "decoder_mask"))
    add_cell(notebook, DECODER, before=check_cell(notebook, "decoder_mask"))


def one_deleted(notebook: dict[str, Any]) -> None:
    notebook["cells"].remove(answer_cell(notebook, "hidden_weight"))


def only_answers(notebook: dict[str, Any]) -> None:
    notebook["cells"] = [c for c in notebook["cells"] if told(c).get("role") == "answer"]


def second_try_below(notebook: dict[str, Any]) -> None:
    first = answer_cell(notebook, "causal_mask")
    place = notebook["cells"].index(first)
    notebook["cells"].insert(place, {**first, "id": "earlier", "source": "causal_mask = None"})


def as_markdown(notebook: dict[str, Any]) -> None:
    cell = answer_cell(notebook, "causal_mask")
    cell.update(cell_type="markdown", source=f"```python\n{CAUSAL}\n```")
    del cell["outputs"], cell["execution_count"]


def given_cells_damaged(notebook: dict[str, Any]) -> None:
    cell_with_id(notebook, "decoder-mask-tests")["source"] = "raise RuntimeError"
    check_cell(notebook, "causal_mask")["source"] = "print('I liked this one')"


def in_reverse(notebook: dict[str, Any]) -> None:
    notebook["cells"].reverse()


def from_colab(notebook: dict[str, Any]) -> None:
    """Version 4.0, ids among the metadata, outputs and metadata of its own."""
    notebook.update(nbformat_minor=0)
    notebook["metadata"] = {"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"}
    for number, cell in enumerate(notebook["cells"]):
        del cell["id"]
        cell["metadata"] |= {"id": f"Xy{number}", "colab": {"base_uri": "https://localhost:8080/"}}
        if cell["cell_type"] == "code":
            cell["metadata"]["outputId"] = "0f-1"


def from_classic(notebook: dict[str, Any]) -> None:
    """Version 4.4, without ids."""
    notebook.update(nbformat_minor=4)
    for cell in notebook["cells"]:
        del cell["id"]
        cell["metadata"] |= {"collapsed": False, "scrolled": True, "trusted": True}


def from_vs_code(notebook: dict[str, Any]) -> None:
    """New ids, source as one text, metadata of its own."""
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"{number:08x}"
        cell["source"] = "".join(cell["source"])
        cell["metadata"]["vscode"] = {"languageId": "python"}


def nothing_but_text(notebook: dict[str, Any]) -> None:
    """Version 4.2 out of a converter: neither ids nor metadata."""
    notebook.update(nbformat_minor=2, metadata={})
    for cell in notebook["cells"]:
        del cell["id"]
        cell["metadata"] = {}


def run_with_large_outputs(notebook: dict[str, Any]) -> None:
    """5 MB of pictures and the state of widgets, as a notebook that was run holds them."""
    picture = base64.b64encode(bytes(1_000_000)).decode()
    for number, cell in enumerate(notebook["cells"]):
        if told(cell).get("role") == "check":
            cell["execution_count"] = number
            cell["outputs"] = [
                {"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}}
            ]
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}


def windows_lines(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")


def many_cells(notebook: dict[str, Any]) -> None:
    for number in range(200):
        add_cell(notebook, "" if number % 2 else f"scratch = {number}  # {'x' * 1000}")


CASES = (
    Case("untouched", saved=untouched, others="open"),
    Case(
        "partly right, partly wrong, partly open",
        {"leaking_rows": ALL_FALSE, "causal_mask": "def causal_mask(m):\n    return torch.eye(m)"},
        saved=some_open,
        outcomes={
            "causal_mask": "wrong",
            "allowed_pairs": "open",
            "hidden_weight": "open",
            "leaking_rows": "wrong",
        },
    ),
    Case(
        "import written into the given imports",
        {"causal_mask": "def causal_mask(m):\n    return torch.from_numpy(np.tri(m, dtype=bool))"},
        saved=import_in_given_cell,
        repaired="imports was changed",
    ),
    Case(
        "import written into the cell for Colab, which has a magic",
        {
            "padding_mask": "def padding_mask(ids, pad):\n"
            "    return F.one_hot((ids != pad).long(), 2)[..., 1].bool()[:, None, None]"
        },
        saved=import_beside_the_first_magic,
        repaired="install was changed",
    ),
    Case(
        "import written into a check",
        {"leaking_rows": right_answers("05_masks")["leaking_rows"] + "\nfunctools.cache(len)"},
        saved=import_in_check_cell,
        repaired="causal-mask-check was changed",
    ),
    Case("answer in a new cell below the stub", saved=answer_below_the_stub, repaired="added cell"),
    Case("answer in a new cell, the old one gone", saved=answer_in_a_cell_of_its_own),
    Case("an answer deleted", saved=one_deleted, outcomes={"hidden_weight": "missing"}),
    Case("nothing but the answers", saved=only_answers),
    Case("a second try below the first", saved=second_try_below, repaired="2 cells"),
    Case("an answer turned into Markdown", saved=as_markdown, repaired="was a markdown cell"),
    Case("given cells and checks damaged", saved=given_cells_damaged, repaired="was changed"),
    Case("cells in reverse", saved=in_reverse),
    Case("saved by Colab", saved=from_colab),
    Case("saved by Jupyter Classic", saved=from_classic),
    Case("saved by VS Code", saved=from_vs_code),
    Case("neither ids nor metadata", saved=nothing_but_text),
    Case("run, with large outputs", saved=run_with_large_outputs),
    Case("lines end as on Windows", saved=windows_lines),
    Case("200 cells more", saved=many_cells),
)
