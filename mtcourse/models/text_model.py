"""Language models of one stack as files: weights, tokenizer, family (chapter 13)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import torch

from mtcourse.errors import MtcourseError
from mtcourse.fast.linear import store_by_columns
from mtcourse.layers.attention import Attention, fused_attention
from mtcourse.models.transformer import Transformer, TransformerConfig
from mtcourse.models.translator import BEST, FAMILY, LAST, TOKENIZER, TRANSLATOR, pick_device
from mtcourse.text.tokenizer import Tokenizer
from mtcourse.training.checkpoints import (
    checkpoint_exists,
    load_checkpoint,
    read_config,
    restore_weights,
    save_checkpoint,
)

M = TypeVar("M", bound=Transformer)
T = TypeVar("T", bound="TextModel[Any]")


class TextModel(Generic[M]):
    """A model of one stack with its tokenizer.

    Args:
        model: the network; it is put into evaluation mode.
        tokenizer: the one it was trained with.

    Raises:
        MtcourseError: the sizes of their vocabularies differ.
    """

    family: ClassVar[str]
    special_ids: ClassVar[int] = 0
    network: ClassVar[type[Transformer]]
    shipped: ClassVar[Path]

    def __init__(self, model: M, tokenizer: Tokenizer) -> None:
        wanted = tokenizer.vocabulary_size + self.special_ids
        if wanted != model.config.V:
            raise MtcourseError(
                f"the tokenizer wants V = {wanted}, the model has V = {model.config.V}: load both "
                "from the same run"
            )
        self.model: M = model.eval()
        self.tokenizer = tokenizer

    @classmethod
    def load(
        cls: type[T],
        folder: Path | str | None = None,
        device: str = "auto",
        attention: Attention = fused_attention,
    ) -> T:
        """Loads a model from the folder of a training run.

        Args:
            folder: the run: ``tokenizer`` and ``best`` (or else ``last``) stand in it. None loads
                the model of this family that comes with the package.
            device: "auto" picks cuda, then mps, then cpu; or one of them by name.
            attention: the attention function of every layer.

        Raises:
            MtcourseError: there is no run in that folder, one of another family, or a file of it
                cannot be read.
        """
        folder = cls.shipped if folder is None else Path(folder)
        found = family_of(folder)
        if found != cls.family:
            raise MtcourseError(f"{folder} holds a model of the family {found}, not {cls.family}")
        checkpoint = load_checkpoint(_place(folder))
        sizes = {name: value for name, value in checkpoint.config.items() if name != FAMILY}
        model: Any = cls.network(TransformerConfig.from_dict(sizes), attention)
        restore_weights(model, checkpoint)
        place = pick_device(device)
        if place.type == "cpu":
            store_by_columns(model)
        return cls(model.to(place), Tokenizer.load(folder / TOKENIZER / "tokenizer.model"))

    def save(self, folder: Path | str, dtype: torch.dtype = torch.float32) -> None:
        """Writes what ``load`` reads.

        Args:
            folder: where ``tokenizer`` and ``best`` are written; made if needed.
            dtype: of the weights on the disk; float16 halves the file and changes them a little.
        """
        folder = Path(folder)
        (folder / TOKENIZER).mkdir(parents=True, exist_ok=True)
        self.tokenizer.save(folder / TOKENIZER / "tokenizer.model")
        copy = type(self.model)(self.model.config)
        copy.load_state_dict(self.model.state_dict())
        save_checkpoint(folder / BEST, copy.to(dtype), self.config)

    @property
    def config(self) -> dict[str, Any]:
        """What a checkpoint says of the model."""
        return self.model.config.to_dict() | {FAMILY: self.family}

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.output_weight.device


def family_of(folder: Path | str) -> str:
    """The family of the model in a run's folder: translator, decoder or encoder.

    Raises:
        MtcourseError: there is no run in that folder.
    """
    return str(read_config(_place(Path(folder))).get(FAMILY, TRANSLATOR))


def _place(folder: Path) -> Path:
    """The checkpoint of a run: the best one, or else the last."""
    places = [folder / name for name in (BEST, LAST) if checkpoint_exists(folder / name)]
    if not places:
        raise MtcourseError(
            f"there is no model in {folder}: it needs a folder {BEST!r} or {LAST!r} with a "
            "checkpoint, as `mtcourse train --out` writes them"
        )
    return places[0]
