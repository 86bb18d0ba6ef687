"""From a corpus to a translator: what ``mtcourse train`` and the scripts do (chapter 12)."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from mtcourse.decoding.search import Search, beam_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import Scores, score
from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.model_card import CardFacts, Purpose, write_card
from mtcourse.models.translator import BEST, LAST, TOKENIZER, Translator, pick_device
from mtcourse.text.batches import Batch, Skipped, batches_in_order, bucketed_batches, encode_pairs
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.corpus_record import CorpusRecord
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import TokenizerPair
from mtcourse.training.callbacks import Callback, CsvLog, keep_best
from mtcourse.training.checkpoints import load_checkpoint, restore_weights
from mtcourse.training.loop import TrainingConfig, TrainingState, train

RECIPE = "recipe.json"
BEAM_OF_4 = partial(beam_search, beams=4)


@dataclass(frozen=True)
class Recipe:
    """How to make a translator from a corpus; the defaults suit the built-in one.

    Args:
        model: the model's sizes; the tokenizers are given as many pieces as its vocabularies have,
            special and byte pieces included.
        smoothing: label smoothing.
        tokens_per_batch: positions of a batch, padding included, on its larger side.
        training: steps, learning rate, schedule.
    """

    model: EncoderDecoderConfig = field(
        default_factory=lambda: EncoderDecoderConfig(V_s=2000, V_t=2000, dropout=0.05)
    )
    smoothing: float = 0.1
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

    def model_config(self, tokenizers: TokenizerPair) -> EncoderDecoderConfig:
        """The model's sizes with the vocabularies that the tokenizers came to have.

        Raises:
            MtcourseError: the model shares one table, but each language has its own vocabulary.
        """
        if self.model.shared_embeddings and not tokenizers.joint:
            raise MtcourseError(
                "the recipe's model has shared_embeddings=True, but source and target have "
                "tokenizers of their own: train a joint tokenizer or set shared_embeddings=False"
            )
        return replace(
            self.model,
            V_s=tokenizers.source.vocabulary_size,
            V_t=tokenizers.target.vocabulary_size,
        )

    def save(self, folder: Path) -> None:
        """Writes ``recipe.json``, so that a run can go on as it began."""
        values = asdict(self) | {"training": self.training.as_json()}
        (folder / RECIPE).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path | str) -> Recipe:
        """The recipe of the run in a folder.

        Raises:
            MtcourseError: there is no run, or its recipe cannot be read.
        """
        path = Path(folder) / RECIPE
        if not path.exists():
            raise MtcourseError(f"there is no run to resume in {folder}: start it without --resume")
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            model = EncoderDecoderConfig.from_dict(values.pop("model"))
            training = values.pop("training")
            betas = tuple(training.pop("betas"))
            return cls(model, **values, training=TrainingConfig(**training, betas=betas))
        except (MtcourseError, ValueError, KeyError, TypeError) as error:
            raise MtcourseError(f"{path} is not a recipe of this version: {error}") from error


@dataclass(frozen=True)
class Trained:
    """What a training run made.

    Args:
        translator: the weights with the lowest dev loss.
        state: where training stood at its end.
        skipped: training pairs that were left out, with the reasons.
    """

    translator: Translator
    state: TrainingState
    skipped: list[Skipped]


def smoothed_loss(smoothing: float, model: EncoderDecoder, batch: Batch) -> Tensor:
    """The summed loss of a batch: cross-entropy with label smoothing over its target tokens."""
    H_D = model.hidden(batch.source, batch.decoder_input, source_mask(batch.source))
    return chunked_loss(H_D, model.output_weight, None, batch.labels, smoothing)


@torch.no_grad()
def mean_dev_loss(model: EncoderDecoder, batches: Sequence[Batch]) -> float:
    """Cross-entropy per target token, without smoothing, in nats."""
    device = model.output_weight.device
    total = sum(float(smoothed_loss(0.0, model, batch.to(device))) for batch in batches)
    return total / sum(batch.target_tokens for batch in batches)


def train_translator(
    corpus: ParallelCorpus,
    folder: Path | str,
    recipe: Recipe | None = None,
    *,
    callbacks: Sequence[Callback] = (),
    resume: bool = False,
    device: str = "auto",
    say: Callable[[str], None] = lambda _: None,
) -> Trained:
    """Trains tokenizers and a model on a corpus's training split, and keeps them in a folder.

    The folder then holds ``tokenizer``, ``last`` (to resume from), ``best`` (lowest dev loss),
    ``recipe.json``, ``losses.csv``, and ``corpus.json``: the words of the training text and the
    test set. Where the text does not allow a vocabulary as large as the recipe's, the nearest size
    is taken.

    Args:
        corpus: pairs with the splits "train" and "dev".
        folder: the run; made if needed.
        recipe: sizes and steps.
        callbacks: called with every step's report.
        resume: goes on where the run in ``folder`` stopped.
        device: as for ``Translator.load``.
        say: is told what differs from the recipe, before training begins.

    Raises:
        MtcourseError: the corpus lacks a split, the folder holds another run, or training diverged.
    """
    recipe = recipe or Recipe()
    folder = Path(folder)
    _check_splits(corpus)
    check_folder(folder, resume)
    tokenizers = _tokenizers(corpus, recipe, folder, resume)
    if told := fitted_vocabulary(recipe, tokenizers):
        say(told)
    if CorpusRecord.load(folder) is None:
        CorpusRecord.of(corpus).save(folder)
    examples, skipped = encode_pairs(corpus.splits["train"], tokenizers, recipe.model.max_length)
    dev_examples, _ = encode_pairs(corpus.splits["dev"], tokenizers, recipe.model.max_length)
    dev = batches_in_order(
        sorted(dev_examples, key=lambda example: example.source_length), recipe.tokens_per_batch
    )
    model = EncoderDecoder(recipe.model_config(tokenizers), seed=recipe.training.seed)
    model.to(pick_device(device))
    state = train(
        model,
        lambda epoch: bucketed_batches(
            examples, recipe.tokens_per_batch, recipe.training.seed, epoch
        ),
        lambda model, batch: smoothed_loss(recipe.smoothing, model, batch),
        recipe.training,
        evaluate=lambda model: mean_dev_loss(model, dev),
        callbacks=[CsvLog(folder / "losses.csv"), keep_best(folder / BEST), *callbacks],
        checkpoint_folder=folder / LAST,
        model_config=model.config.to_dict(),
        resume=resume,
    )
    if not state.interrupted:
        restore_weights(model, load_checkpoint(folder / BEST))
    return Trained(Translator(model, tokenizers), state, skipped)


def fitted_vocabulary(recipe: Recipe, tokenizers: TokenizerPair) -> str:
    """What to say where the vocabulary is not as large as the recipe asks; else nothing."""
    wanted, found = recipe.model.V_s, tokenizers.source.vocabulary_size
    if found == wanted:
        return ""
    why = (
        "as many as this text yields"
        if found < wanted
        else "as many as the characters of this text need"
    )
    return f"the vocabulary has {found:,} pieces, {why}, not {wanted:,}"


def readable(translator: Translator, pairs: Sequence[SentencePair]) -> list[SentencePair]:
    """The pairs whose source the model can read: it is neither empty nor too long for the model.

    Args:
        translator: says how long a source may be.
        pairs: of a test set.

    Raises:
        MtcourseError: no pair is left.
    """
    longest = translator.model.config.max_length
    encoded = translator.tokenizers.source.encode_all(pair.source for pair in pairs)
    short = [pair for pair, ids in zip(pairs, encoded, strict=True) if 0 < len(ids) < longest]
    if not short:
        raise MtcourseError(
            f"every sentence of the test set is longer than the {longest} pieces that the "
            "translator reads: split the sentences, or train with more pieces in the vocabulary"
        )
    return short


def evaluate_translator(
    translator: Translator, pairs: Sequence[SentencePair], search: Search = BEAM_OF_4
) -> tuple[Scores, list[str]]:
    """Translates the sources of some pairs and scores the result against all their references."""
    translations = translator.translate([pair.source for pair in pairs], search)
    references = [(pair.target, *pair.references) for pair in pairs]
    return score(translations, references), translations


def publish_translator(
    corpus: ParallelCorpus,
    recipe: Recipe,
    out: Path | str,
    purpose: Purpose,
    *,
    test_sets: Sequence[str] = ("test",),
    beams: int = 4,
    callbacks: Sequence[Callback] = (),
) -> dict[str, Scores]:
    """Trains on the CPU, stores in half precision, scores what is stored, and writes its card.

    Args:
        corpus: as for ``train_translator``, with the test sets.
        recipe: sizes and steps.
        out: where ``tokenizer``, ``best``, ``losses.csv`` and the card's files are written.
        purpose: the card's own words.
        test_sets: splits to score on; the card's ten examples are drawn from the first.
        beams: of the translations that are scored.
        callbacks: called with every step's report.
    """
    out = Path(out)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        trained = train_translator(corpus, folder, recipe, callbacks=callbacks, device="cpu")
        cpu_minutes = (time.process_time() - started) / 60
        trained.translator.save(out, dtype=torch.float16)
        shutil.copy(Path(folder) / "losses.csv", out / "losses.csv")
    # Its test set stays with the corpus: what is shipped has to be small.
    CorpusRecord.of(corpus).without_test().save(out)
    translator = Translator.load(out, device="cpu")
    search = partial(beam_search, beams=beams)
    results = {
        name: evaluate_translator(translator, corpus.splits[name], search) for name in test_sets
    }
    facts = CardFacts(
        purpose,
        corpus=f"{corpus.name} {corpus.version}, {len(corpus.splits['train']):,} training pairs, "
        f"licence {corpus.licence}.",
        seed=recipe.training.seed,
        steps=trained.state.step,
        cpu_minutes=cpu_minutes,
        beams=beams,
        note=fitted_vocabulary(recipe, translator.tokenizers),
    )
    scores = {name: of_set for name, (of_set, _) in results.items()}
    pairs, (_, translations) = corpus.splits[test_sets[0]], results[test_sets[0]]
    picked = random.Random(recipe.training.seed).sample(range(len(pairs)), 10)
    examples = [(pairs[i], translations[i]) for i in picked]
    write_card(out, facts, translator, scores, examples)
    return scores


def check_folder(folder: Path, resume: bool) -> None:
    """Raises unless a run can be resumed in the folder, or begun there."""
    if resume:
        Recipe.load(folder)
    elif (folder / LAST).exists():
        raise MtcourseError(
            f"{folder} already holds a run: go on with --resume, or name another folder"
        )


def _check_splits(corpus: ParallelCorpus) -> None:
    for split in ("train", "dev"):
        if not corpus.splits.get(split):
            raise MtcourseError(f"the corpus {corpus.name} has no pairs in its split {split!r}")


def _tokenizers(
    corpus: ParallelCorpus, recipe: Recipe, folder: Path, resume: bool
) -> TokenizerPair:
    """The run's tokenizers: trained once, then read."""
    if resume:
        return TokenizerPair.load(folder / TOKENIZER)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizers = TokenizerPair.train_nearest(corpus.splits["train"], recipe.model.V_s)
    tokenizers.save(folder / TOKENIZER)
    recipe.save(folder)
    return tokenizers
