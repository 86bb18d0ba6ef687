"""A trained model with its tokenizers: sentences in, sentences out (chapters 12 and 18)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.decoding.search import Hypothesis, Search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.fast.linear import store_by_columns
from mtcourse.layers.attention import Attention, fused_attention
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoding_state import cached_state, cached_step
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.recorded_attention import AttentionProducts, recorded_attention
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.tokenizer import EOS, TokenizerPair
from mtcourse.training.checkpoints import checkpoint_exists, load_checkpoint, restore_weights
from mtcourse.training.checkpoints import save_checkpoint as save_weights

SHIPPED = Path(__file__).parent / "english_dutch"
LIBREOFFICE_HELP = Path(__file__).parent / "libreoffice_help"
TOKENIZER, BEST, LAST = "tokenizer", "best", "last"
FAMILY = "family"
"""The key under which a checkpoint names its model's family; a translator's has none."""

TRANSLATOR = "translator"
"""The family of encoder-decoder models that translate."""


@dataclass(frozen=True)
class Translation:
    """One candidate translation.

    Args:
        text: the sentence.
        score: what search ranked it by: its log-probability / length^penalty.
        log_probability: log p(sentence | source), in nats.
    """

    text: str
    score: float
    log_probability: float


@dataclass(frozen=True)
class AttentionMap:
    """Where the decoder looked while it produced a translation.

    Args:
        source_pieces: the source's subwords, <eos> last: the columns.
        target_pieces: the translation's subwords, <eos> last: the rows.
        weights: for each decoder layer and head, one row for each target piece, which sums to 1.
    """

    source_pieces: tuple[str, ...]
    target_pieces: tuple[str, ...]
    weights: Float[Tensor, "layers h m n"]


class Translator:
    """Translates sentences with a model and the tokenizers it was trained with.

    Args:
        model: the encoder-decoder; it is put into evaluation mode.
        tokenizers: source and target tokenizer, as large as the model's vocabularies.

    >>> Translator.load().translate(["The dog sleeps."])
    ['De hond slaapt.']
    """

    def __init__(self, model: EncoderDecoder, tokenizers: TokenizerPair) -> None:
        sizes = tokenizers.source.vocabulary_size, tokenizers.target.vocabulary_size
        wanted = model.config.V_s, model.config.V_t
        if sizes != wanted:
            raise MtcourseError(
                f"the tokenizers have {sizes[0]} and {sizes[1]} pieces, the model has V_s "
                f"{wanted[0]} and V_t {wanted[1]}: load both from the same run"
            )
        self.model = model.eval()
        self.tokenizers = tokenizers

    @classmethod
    def load(
        cls,
        folder: Path | str | None = None,
        device: str = "auto",
        attention: Attention = fused_attention,
    ) -> Translator:
        """Loads a translator from the folder of a training run.

        Args:
            folder: the run: ``tokenizer`` and ``best`` (or else ``last``) stand in it. None loads
                the English-Dutch translator that comes with the package.
            device: "auto" picks cuda, then mps, then cpu; or one of them by name.
            attention: the attention function of every layer.

        Raises:
            MtcourseError: there is no run in that folder, or a file of it cannot be read.
        """
        folder = SHIPPED if folder is None else Path(folder)
        places = [folder / name for name in (BEST, LAST) if checkpoint_exists(folder / name)]
        if not places:
            raise MtcourseError(
                f"there is no translator in {folder}: it needs a folder {BEST!r} or {LAST!r} with "
                "a checkpoint, as `mtcourse train --out` writes them"
            )
        checkpoint = load_checkpoint(places[0])
        if (family := checkpoint.config.get(FAMILY, TRANSLATOR)) != TRANSLATOR:
            raise MtcourseError(
                f"{folder} holds a model of the family {family}, which does not translate: use "
                "`mtcourse sample`"
            )
        model = EncoderDecoder(EncoderDecoderConfig.from_dict(checkpoint.config), attention)
        restore_weights(model, checkpoint)
        tokenizers = TokenizerPair.load(folder / TOKENIZER)
        place = pick_device(device)
        if place.type == "cpu":
            store_by_columns(model)
        return cls(model.to(place), tokenizers)

    def save(self, folder: Path | str, dtype: torch.dtype = torch.float32) -> None:
        """Writes what ``load`` reads.

        Args:
            folder: where ``tokenizer`` and ``best`` are written; made if needed.
            dtype: of the weights on the disk; float16 halves the file and changes them a little.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.tokenizers.save(folder / TOKENIZER)
        copy = EncoderDecoder(self.model.config)
        copy.load_state_dict(self.model.state_dict())
        save_weights(folder / BEST, copy.to(dtype), self.model.config.to_dict())

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.output_weight.device

    def translate(self, sentences: Sequence[str], search: Search = greedy_search) -> list[str]:
        """The best translation of each sentence.

        Args:
            sentences: as for ``candidates``.
            search: likewise.
        """
        return [best.text for best, *_ in self.candidates(sentences, search)]

    def candidates(
        self,
        sentences: Sequence[str],
        search: Search = greedy_search,
        sentences_per_batch: int = 64,
    ) -> list[list[Translation]]:
        """All that a search finds for each sentence, best first.

        Args:
            sentences: source sentences; a blank one is translated to a blank one.
            search: the strategy, such as ``partial(beam_search, beams=4, n_best=3)``.
            sentences_per_batch: how many are decoded together; the results do not depend on it.

        Raises:
            MtcourseError: a sentence is longer than the model's maximum; the message names it.
        """
        sources = self._encode(sentences)
        order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        found: list[list[Translation]] = [[Translation("", 0.0, 0.0)] for _ in sources]
        order = [i for i in order if len(sources[i]) > 1]
        for start in range(0, len(order), sentences_per_batch):
            chosen = order[start : start + sentences_per_batch]
            hypotheses = self._search([sources[i] for i in chosen], search)
            for i, of_one in zip(chosen, hypotheses, strict=True):
                found[i] = [self._translation(hypothesis) for hypothesis in of_one]
        return found

    def attention_map(self, sentence: str, translation: str | None = None) -> AttentionMap:
        """What each target piece looked at in the source: the cross-attention's weights.

        Args:
            sentence: the source sentence.
            translation: a target sentence to force; None takes the model's own, greedily.
        """
        source, target = self._pair(sentence, translation)
        with recorded_attention(block.cross_attention for block in self.model.decoder) as records:
            self._predict(source, target)
        return AttentionMap(
            tuple(self.tokenizers.source.pieces(source)),
            tuple(self.tokenizers.target.pieces(target)),
            torch.cat([record.weights for record in records]).cpu(),
        )

    def attention_products(
        self, sentence: str, translation: str | None = None
    ) -> AttentionProducts:
        """How well queries match keys in every attention of the model, before scale and mask.

        Args:
            sentence: the source sentence.
            translation: a target sentence to force; None takes the model's own, greedily.
        """
        source, target = self._pair(sentence, translation)
        encoder, decoder = self.model.encoder, self.model.decoder
        layers = {
            "encoder": [block.self_attention for block in encoder],
            "decoder": [block.self_attention for block in decoder],
            "cross": [block.cross_attention for block in decoder],
        }
        with ExitStack() as stack:
            records = {
                kind: stack.enter_context(recorded_attention(of_kind))
                for kind, of_kind in layers.items()
            }
            self._predict(source, target)
        products = {
            kind: torch.cat([record.products for record in of_kind]).cpu()
            for kind, of_kind in records.items()
        }
        return AttentionProducts(
            tuple(self.tokenizers.source.pieces(source)),
            tuple(self.tokenizers.target.pieces(shift_right(pad([target]))[0].tolist())),
            tuple(self.tokenizers.target.pieces(target)),
            d_k=self.model.config.d_model // self.model.config.h,
            **products,
        )

    def _pair(self, sentence: str, translation: str | None) -> tuple[list[int], list[int]]:
        """Ids of a sentence and of a translation, the model's own if none is given."""
        (source,) = self._encode([sentence])
        if translation is None:
            (translation,) = self.translate([sentence])
        target = [*self.tokenizers.target.encode(translation), EOS]
        self._check_length(translation, target)
        return source, target

    @torch.no_grad()
    def _predict(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Runs the model over one pair, each target token predicted from those before it."""
        self.model(self._ids([source]), shift_right(self._ids([target])))

    def _encode(self, sentences: Sequence[str]) -> list[list[int]]:
        """Ids with <eos>; a sentence that does not fit is an error that names it."""
        encoded = [
            [*ids, EOS] for ids in self.tokenizers.source.encode_all([s.strip() for s in sentences])
        ]
        for sentence, ids in zip(sentences, encoded, strict=True):
            self._check_length(sentence, ids)
        return encoded

    def _check_length(self, sentence: str, ids: Sequence[int]) -> None:
        if len(ids) > self.model.config.max_length:
            raise MtcourseError(
                f"the sentence {sentence[:40]!r}… takes {len(ids)} tokens, the model's maximum is "
                f"{self.model.config.max_length}: split it"
            )

    def _ids(self, sequences: Sequence[Sequence[int]]) -> Int[Tensor, "batch length"]:
        return pad(sequences).to(self.device)

    @torch.inference_mode()
    def _search(self, sources: Sequence[Sequence[int]], search: Search) -> list[list[Hypothesis]]:
        source = self._ids(sources)
        # A sentence's own length decides how long its translation may be, never its neighbours'.
        longest = torch.tensor([len(ids) for ids in sources], device=self.device) * 2 + 10
        longest = longest.clamp(max=self.model.config.max_length)
        state = cached_state(self.model, source, source_mask(source), int(longest.max()))
        return search(cached_step(self.model), state, longest)

    def _translation(self, hypothesis: Hypothesis) -> Translation:
        text = self.tokenizers.target.decode(hypothesis.ids)
        return Translation(text, hypothesis.score, hypothesis.log_probability)


def pick_device(name: str = "auto") -> torch.device:
    """The device by name; "auto" is the first of cuda, mps and cpu that there is.

    Raises:
        MtcourseError: the machine has no such device.
    """
    available = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        name = next(device for device, present in available.items() if present)
    if not available.get(name.split(":")[0], False):
        present = ", ".join(device for device, there in available.items() if there)
        raise MtcourseError(f"there is no device {name!r} here; there is {present}")
    return torch.device(name)
