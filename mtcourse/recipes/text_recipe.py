"""From text to a model of one stack: what both its families share (chapters 13 and 15)."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.models.model_card import Purpose
from mtcourse.models.text_model import TextModel
from mtcourse.models.text_model_card import TextCardFacts, write_text_card
from mtcourse.models.transformer import Transformer, TransformerConfig
from mtcourse.models.translator import BEST, FAMILY, LAST, TOKENIZER, TRANSLATOR, pick_device
from mtcourse.text.text_batches import TextBatch, encode_text
from mtcourse.text.texts import TextCorpus
from mtcourse.text.tokenizer import Tokenizer
from mtcourse.training.callbacks import Callback, CsvLog, keep_best
from mtcourse.training.checkpoints import load_checkpoint, restore_weights
from mtcourse.training.loop import TrainingConfig, TrainingState, train
from mtcourse.whole_files import write_whole

RECIPE = "recipe.json"


@dataclass(frozen=True)
class TextRecipe:
    """How to make a model of one stack from text; the defaults suit the built-in corpus.

    Args:
        model: the model's sizes; the tokenizer is given as many pieces as its vocabulary has,
            special and byte pieces included.
        tokens_per_batch: positions of a batch, padding included.
        training: steps, learning rate, schedule.
    """

    model: TransformerConfig = field(
        default_factory=lambda: TransformerConfig(V=1500, layers=3, dropout=0.05)
    )
    tokens_per_batch: int = 2048
    training: TrainingConfig = field(
        default_factory=lambda: TrainingConfig(
            steps=2400,
            learning_rate=3e-3,
            warmup=200,
            schedule="cosine",
            evaluate_every=300,
            checkpoint_every=300,
            report_every=10,
        )
    )

    def save(self, folder: Path, family: str) -> None:
        """Writes ``recipe.json``, so that a run can go on as it began."""
        values = {FAMILY: family} | asdict(self) | {"training": self.training.as_json()}
        (folder / RECIPE).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path | str, family: str) -> TextRecipe:
        """The recipe of the run in a folder.

        Raises:
            MtcourseError: there is no run, its recipe cannot be read, or is of another family.
        """
        path = Path(folder) / RECIPE
        if not path.exists():
            raise MtcourseError(f"there is no run to resume in {folder}: start it without --resume")
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            found = values.pop(FAMILY, TRANSLATOR)
            if found != family:
                raise MtcourseError(f"it is a run of the family {found}, not {family}")
            training = values["training"]
            return cls(
                TransformerConfig.from_dict(values["model"]),
                values["tokens_per_batch"],
                TrainingConfig(**training | {"betas": tuple(training["betas"])}),
            )
        except (MtcourseError, ValueError, KeyError, TypeError) as error:
            raise MtcourseError(f"{path} is not a recipe that can be resumed: {error}") from error


@runtime_checkable
class Family(Protocol):
    """What the two families do differently: their inputs and labels, and the model around them."""

    @property
    def name(self) -> str:
        """What the command line calls it."""
        ...

    def text_model(self, model: Any, tokenizer: Tokenizer) -> TextModel[Any]:
        """The trained model with its tokenizer."""
        ...

    def network(self, config: TransformerConfig, seed: int) -> Transformer:
        """A model with its initial weights."""
        ...

    def vocabulary_size(self, tokenizer: Tokenizer) -> int:
        """V of the model: the tokenizer's pieces and those that this family adds."""
        ...

    def batches(
        self, sentences: Sequence[list[int]], tokenizer: Tokenizer, recipe: TextRecipe
    ) -> Callable[[int], Sequence[TextBatch]]:
        """From an epoch, counted from 1, to its batches."""
        ...

    def loss(self, model: Any, batch: TextBatch) -> Tensor:
        """The summed cross-entropy over the labels that count."""
        ...


@dataclass(frozen=True)
class TrainedText:
    """What a training run made.

    Args:
        model: the weights with the lowest dev loss.
        state: where training stood at its end.
    """

    model: TextModel[Any]
    state: TrainingState


def train_text_model(
    family: Family,
    corpus: TextCorpus,
    folder: Path | str,
    recipe: TextRecipe | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    callbacks: Sequence[Callback] = (),
    resume: bool = False,
    device: str = "auto",
) -> TrainedText:
    """Trains a tokenizer and a model on a corpus's training split, and keeps them in a folder.

    The folder then holds ``tokenizer``, ``last`` (to resume from), ``best`` (lowest dev loss),
    ``recipe.json`` and ``losses.csv``.

    Args:
        family: decoder or encoder.
        corpus: sentences with the splits "train" and "dev".
        folder: the run; made if needed.
        recipe: sizes and steps.
        tokenizer: to use instead of one trained on the training split.
        callbacks: called with every step's report.
        resume: goes on where the run in ``folder`` stopped.
        device: as for ``TextModel.load``.

    Raises:
        MtcourseError: the corpus lacks a split, the folder holds another run, or training diverged.
    """
    recipe, folder = recipe or TextRecipe(), Path(folder)
    for split in ("train", "dev"):
        if not corpus.splits.get(split):
            raise MtcourseError(f"the text {corpus.name} has nothing in its split {split!r}")
    check_folder(family, folder, resume)
    tokenizer = _tokenizer(family, corpus, recipe, folder, tokenizer, resume)
    config = replace(recipe.model, V=family.vocabulary_size(tokenizer))
    encoded = {
        split: encode_text(corpus.splits[split], tokenizer, config.max_length)
        for split in ("train", "dev")
    }
    dev = family.batches(encoded["dev"], tokenizer, recipe)(0)
    network = family.network(config, recipe.training.seed).to(pick_device(device))
    result = family.text_model(network, tokenizer)
    state = train(
        network,
        family.batches(encoded["train"], tokenizer, recipe),
        family.loss,
        recipe.training,
        evaluate=lambda model: mean_loss(family, model, dev),
        callbacks=[CsvLog(folder / "losses.csv"), keep_best(folder / BEST), *callbacks],
        checkpoint_folder=folder / LAST,
        model_config=result.config,
        resume=resume,
    )
    if not state.interrupted:
        restore_weights(network, load_checkpoint(folder / BEST))
    network.eval()
    return TrainedText(result, state)


@torch.no_grad()
def mean_loss(family: Family, model: Transformer, batches: Sequence[TextBatch]) -> float:
    """Cross-entropy per label that counts, in nats."""
    device = model.output_weight.device
    total = sum(float(family.loss(model, batch.to(device))) for batch in batches)
    return total / sum(batch.target_tokens for batch in batches)


def check_folder(family: Family, folder: Path, resume: bool) -> None:
    """Raises unless a run can be resumed in the folder, or begun there."""
    if resume:
        TextRecipe.load(folder, family.name)
    elif (folder / LAST).exists():
        raise MtcourseError(
            f"{folder} already holds a run: go on with --resume, or name another folder"
        )


def _tokenizer(
    family: Family,
    corpus: TextCorpus,
    recipe: TextRecipe,
    folder: Path,
    tokenizer: Tokenizer | None,
    resume: bool,
) -> Tokenizer:
    """The run's tokenizer: given, trained once, then read."""
    path = folder / TOKENIZER / "tokenizer.model"
    if resume:
        return Tokenizer.load(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer or Tokenizer.train(corpus.splits["train"], recipe.model.V)
    tokenizer.save(path)
    recipe.save(folder, family.name)
    return tokenizer


def publish_text_model(
    family: Family,
    corpus: TextCorpus,
    recipe: TextRecipe,
    out: Path | str,
    purpose: Purpose,
    describe: Callable[[TextModel[Any]], tuple[Mapping[str, str], Sequence[tuple[str, str]]]],
    *,
    callbacks: Sequence[Callback] = (),
) -> None:
    """Trains on the CPU, stores in half precision, scores what is stored, and writes its card.

    Args:
        family: decoder or encoder.
        corpus: as for ``train_text_model``.
        recipe: sizes and steps.
        out: where ``tokenizer``, ``best``, ``losses.csv`` and the card are written.
        purpose: the card's own words.
        describe: from the stored model to its scores and examples.
        callbacks: called with every step's report.
    """
    out = Path(out)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        trained = train_text_model(
            family, corpus, folder, recipe, callbacks=callbacks, device="cpu"
        )
        cpu_minutes = (time.process_time() - started) / 60
        trained.model.save(out, dtype=torch.float16)
        _copy_losses(Path(folder) / "losses.csv", out / "losses.csv")
    stored = type(trained.model).load(out, device="cpu")
    scores, examples = describe(stored)
    facts = TextCardFacts(
        purpose,
        f"{corpus.name} {corpus.version}, {len(corpus.splits['train']):,} sentences in "
        f"{' and '.join(corpus.languages)}, licence {corpus.licence}.",
        recipe.training.seed,
        trained.state.step,
        cpu_minutes,
    )
    write_text_card(out, facts, stored, scores, examples)


def _copy_losses(path: Path, to: Path, every: int = 20) -> None:
    """Every 20th step of a run's losses, which is enough for a curve and for every dev loss."""
    head, *steps = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in steps if int(line.split(",")[0]) % every == 0]
    write_whole(to, "\n".join([head, *kept, ""]))
