"""The three families by name, so that the same commands serve all of them (chapters 13 to 17)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtcourse.decoding.search import Search
from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.text_model import TextModel, family_of
from mtcourse.models.translator import TRANSLATOR, Translator
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.recipes.encoder import EncoderFamily
from mtcourse.recipes.text_recipe import Family

TEXT_FAMILIES: dict[str, Family] = {"decoder": DecoderFamily(), "encoder": EncoderFamily()}
"""The families that learn from one text, by name."""
FAMILIES = (TRANSLATOR, *TEXT_FAMILIES)
"""The names of all families."""

AnyModel = Translator | LanguageModel | MaskedLanguageModel


def check_family(name: str) -> None:
    """Raises unless there is a family of this name, and says which there are.

    Raises:
        MtcourseError: there is none.
    """
    if name not in FAMILIES:
        raise MtcourseError(f"there is no family {name!r}: take {', '.join(FAMILIES)}")


def load_model(folder: Path | str | None, name: str = TRANSLATOR, device: str = "auto") -> AnyModel:
    """The trained model in a folder, whatever its family; or the shipped one of a family.

    Args:
        folder: of a training run, which says which family it is of; None takes the shipped model.
        name: the family of the shipped model.
        device: as for ``Translator.load``.

    Raises:
        MtcourseError: there is no run in that folder, or no such family.
    """
    check_family(name)
    found = name if folder is None else family_of(folder)
    for kind in (LanguageModel, MaskedLanguageModel):
        if found == kind.family:
            return kind.load(folder, device)
    return Translator.load(folder, device)


def sample(model: AnyModel, lines: Sequence[str], search: Search) -> list[str]:
    """What a model makes of each line: a translation, a continuation, or filled blanks.

    Args:
        model: of any family.
        lines: sentences to translate; prompts to continue; sentences with <mask> in them.
        search: how the next token is chosen; blanks take their most probable piece.

    Raises:
        MtcourseError: a line does not fit the model; the message names it.
    """
    if isinstance(model, Translator):
        return model.translate(lines, search)
    if isinstance(model, LanguageModel):
        return model.continuations(lines, search)
    return [model.fill(line, 1)[0][0].sentence for line in lines]


def score_text(model: TextModel[Any], sentences: Sequence[str]) -> str:
    """How well a model of one text predicts some sentences, in words.

    Bits per byte and perplexity of a decoder; of an encoder the share of blanks that it fills as
    the original did.

    Raises:
        MtcourseError: there is no text.
    """
    if isinstance(model, LanguageModel):
        return str(model.likelihood(sentences))
    if isinstance(model, MaskedLanguageModel):
        return str(model.blank_scores(sentences))
    raise MtcourseError(f"a model of the family {model.family} is not scored on one text")
