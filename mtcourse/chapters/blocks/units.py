"""What the units of a trained translator's position-wise networks respond to (chapter 10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.layers.blocks import DecoderBlock, EncoderBlock
from mtcourse.layers.masks import padding_mask
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Batch, batches_in_order, encode_pairs
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import PAD


@dataclass(frozen=True)
class UnitActivations:
    """How strongly each unit of one network responded to each token of a text.

    Args:
        ids: the tokens at which the network stood, one after the other.
        values: ReLU(x W_1 + b_1) at each of them.
    """

    ids: Int[Tensor, " tokens"]
    values: Float[Tensor, "tokens d_ff"]

    def strongest_tokens(self, unit: int, count: int, at_least: int = 5) -> list[int]:
        """The tokens with the highest mean activation of a unit, highest first.

        Args:
            unit: counted from 0.
            count: how many tokens.
            at_least: tokens that occur less often are left out.
        """
        size = int(self.ids.max()) + 1
        totals = self.values.new_zeros(size).index_add(0, self.ids, self.values[:, unit])
        occurrences = torch.bincount(self.ids, minlength=size)
        means = (totals / occurrences.clamp(min=1)).masked_fill(occurrences < at_least, -1.0)
        return means.topk(count).indices.tolist()

    def active_share(self, unit: int) -> float:
        """At which share of the tokens a unit is above 0."""
        return float((self.values[:, unit] > 0).float().mean())


@torch.no_grad()
def unit_activations(
    translator: Translator, pairs: Sequence[SentencePair], tokens_per_batch: int = 2000
) -> dict[tuple[str, int], UnitActivations]:
    """The activations of every network, by side and number of the block, counted from 0.

    The decoder reads the reference. At a target position the token is the one that is read there,
    not the one that is predicted. Chapter 10.

    Args:
        translator: on the CPU.
        pairs: the sentence pairs that are read.
        tokens_per_batch: how many are computed together.
    """
    model = translator.model.eval()
    examples, _ = encode_pairs(pairs, translator.tokenizers, model.config.max_length)
    blocks = {
        **{("encoder", k): block for k, block in enumerate(model.encoder)},
        **{("decoder", k): block for k, block in enumerate(model.decoder)},
    }
    found: dict[tuple[str, int], list[tuple[Tensor, Tensor]]] = {name: [] for name in blocks}
    for batch in batches_in_order(examples, tokens_per_batch):
        with _recorded(blocks) as records:
            model(batch.source, batch.decoder_input, padding_mask(batch.source))
        for name, values in records.items():
            ids = _read_by(name[0], batch)
            real = ids != PAD
            found[name].append((ids[real], torch.relu(values[real])))
    return {
        name: UnitActivations(*map(torch.cat, zip(*parts, strict=True)))
        for name, parts in found.items()
    }


def promoted_tokens(translator: Translator, layer: int, unit: int, count: int) -> list[int]:
    """The target tokens whose logits a decoder unit raises most when it is active.

    The unit adds a multiple of v, its row of W_2, to the residual stream. The last norm multiplies
    each column by its gain, and the output layer compares the result with each token's row: here
    the change of the logits is taken as (gain ⊙ v) W_O, as if nothing came in between (Geva et al.,
    2021). Chapter 10.

    Args:
        translator: a pre-norm translator.
        layer: of the decoder, counted from 0.
        unit: counted from 0.
        count: how many tokens, the most promoted first.

    Raises:
        MtcourseError: the translator is not pre-norm.
    """
    model = translator.model
    last = model.decoder_norm
    if not isinstance(last, nn.LayerNorm):
        raise MtcourseError("in post-norm the output layer does not read the residual stream")
    v = model.decoder[layer].feed_forward.W_2.weight[:, unit]
    return model.logits(last.weight * v).topk(count).indices.tolist()


def _read_by(side: str, batch: Batch) -> Int[Tensor, "batch length"]:
    """The tokens at which the networks of one side stand."""
    return batch.source if side == "encoder" else batch.decoder_input


@contextmanager
def _recorded(
    blocks: dict[tuple[str, int], EncoderBlock | DecoderBlock],
) -> Iterator[dict[tuple[str, int], Tensor]]:
    """What the first map of each network returns within a ``with`` block."""
    records: dict[tuple[str, int], Tensor] = {}

    def keep(name: tuple[str, int]):
        # Before the ReLU or after it: the network's works in place, and a second changes nothing.
        return lambda module, inputs, output: records.update({name: output})

    hooks = [
        block.feed_forward.W_1.register_forward_hook(keep(name)) for name, block in blocks.items()
    ]
    try:
        yield records
    finally:
        for hook in hooks:
            hook.remove()
