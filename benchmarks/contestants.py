"""Who is measured: each contestant does the same training step and the same decoding.

A contestant is a function that builds its model and returns what is timed. It imports its package
itself, so that one that is not installed is one ImportError.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.work import SMOOTHING, TOKENS_DECODED, reference_model
from mtcourse.decoding.search import EOS, beam_search, greedy_search
from mtcourse.fast.linear import store_by_columns
from mtcourse.layers.masks import source_mask
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.decoding_state import cached_state, cached_step
from mtcourse.models.encoder_decoder import EncoderDecoderConfig
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import Batch
from mtcourse.text.tokenizer import BOS, PAD, UNK
from mtcourse.training.config import TrainingConfig
from mtcourse.training.processes import processes_around
from mtcourse.training.update import Updater

TrainingStep = Callable[[int, Batch], float]
"""From the step's number, from 1, and its batch to the mean loss per target token."""

Decode = Callable[[Tensor, int], list[list[int]]]
"""From source ids and the number of beams to the target ids of each sentence."""

OPTIMISATION = TrainingConfig(steps=10**6, learning_rate=1e-4, schedule="constant", warmup=0)


def mtcourse_training(sizes: EncoderDecoderConfig) -> TrainingStep:
    """This package."""
    model = reference_model(sizes).train()
    device = torch.device("cpu")
    loss = partial(smoothed_loss, SMOOTHING)
    updater = Updater(model, loss, OPTIMISATION, processes_around(device))

    def step(number: int, batch: Batch) -> float:
        figures = updater.update(number, [batch])
        return float(figures.loss_sum) / figures.tokens

    return step


def transformers_training(sizes: EncoderDecoderConfig) -> TrainingStep:
    """Marian from ``transformers``, with this package's weights."""
    from tests.helpers.oracles import marian_of

    marian = marian_of(reference_model(sizes)).train()

    def loss(batch: Batch) -> Tensor:
        logits = marian(
            input_ids=batch.source,
            attention_mask=(batch.source != PAD).long(),
            decoder_input_ids=batch.decoder_input,
            use_cache=False,
        ).logits
        return _cross_entropy(logits, batch)

    return _stepping(marian, loss)


def torch_training(sizes: EncoderDecoderConfig) -> TrainingStep:
    """``torch.nn.Transformer`` between an embedding table and the same table transposed."""
    model = _TorchTransformer(sizes).train()
    return _stepping(model, lambda batch: _cross_entropy(model(batch), batch))


def joeynmt_training(sizes: EncoderDecoderConfig) -> TrainingStep:
    """joeynmt's model and its own loss."""
    model = _joeynmt_model(sizes).train()
    model.loss_function = ("crossentropy", SMOOTHING)

    def loss(batch: Batch) -> Tensor:
        summed, *_ = model(return_type="loss", **vars(_joeynmt_batch(batch.source, batch.labels)))
        return summed / batch.target_tokens

    return _stepping(model, loss)


def mtcourse_decoding(sizes: EncoderDecoderConfig) -> Decode:
    """This package."""
    model = reference_model(sizes).eval()
    store_by_columns(model)

    @torch.inference_mode()
    def decode(source: Tensor, beams: int) -> list[list[int]]:
        state = cached_state(model, source, source_mask(source), beams * (TOKENS_DECODED + 1))
        longest = torch.full((len(source),), TOKENS_DECODED)
        step = _without_end(cached_step(model))
        if beams == 1:
            return [list(hypothesis.ids) for hypothesis, *_ in greedy_search(step, state, longest)]
        return [list(best.ids) for best, *_ in beam_search(step, state, longest, beams)]

    return decode


def transformers_decoding(sizes: EncoderDecoderConfig) -> Decode:
    """Marian's ``generate``, with this package's weights."""
    from transformers import GenerationConfig

    from tests.helpers.oracles import marian_of

    marian = marian_of(reference_model(sizes))

    def decode(source: Tensor, beams: int) -> list[list[int]]:
        generated = marian.generate(
            input_ids=source,
            attention_mask=(source != PAD).long(),
            generation_config=GenerationConfig(
                num_beams=beams,
                do_sample=False,
                min_new_tokens=TOKENS_DECODED,
                max_new_tokens=TOKENS_DECODED,
                pad_token_id=PAD,
                eos_token_id=EOS,
                decoder_start_token_id=BOS,
            ),
        )
        return generated[:, 1:].tolist()

    return decode


def joeynmt_decoding(sizes: EncoderDecoderConfig) -> Decode:
    """joeynmt's own search."""
    from joeynmt.search import search

    model = _joeynmt_model(sizes).eval()

    def decode(source: Tensor, beams: int) -> list[list[int]]:
        batch = _joeynmt_batch(source, None)
        options = {"max_output_length": TOKENS_DECODED, "min_output_length": TOKENS_DECODED}
        found, _, _ = search(model, batch, beam_size=beams, beam_alpha=1.0, **options)
        return found.tolist()

    return decode


def ctranslate2_decoding(sizes: EncoderDecoderConfig) -> Decode:
    """CTranslate2 in float32, with this package's weights."""
    import ctranslate2

    from benchmarks.ctranslate2_export import export, ids_of, tokens_of

    with tempfile.TemporaryDirectory() as folder:
        export(reference_model(sizes), f"{folder}/model")
        translator = ctranslate2.Translator(
            f"{folder}/model", compute_type="float32", inter_threads=1, intra_threads=1
        )

    def decode(source: Tensor, beams: int) -> list[list[int]]:
        sentences = [tokens_of([i for i in row if i != PAD]) for row in source.tolist()]
        results = translator.translate_batch(
            sentences,
            beam_size=beams,
            min_decoding_length=TOKENS_DECODED,
            max_decoding_length=TOKENS_DECODED,
        )
        return [ids_of(result.hypotheses[0]) for result in results]

    return decode


def plain_training(sizes: EncoderDecoderConfig) -> TrainingStep:
    """This package with torch's own matrix products."""
    return torch.backends.mkldnn.flags(enabled=False)(mtcourse_training(sizes))


def plain_decoding(sizes: EncoderDecoderConfig) -> Decode:
    """This package with torch's own matrix products."""
    return torch.backends.mkldnn.flags(enabled=False)(mtcourse_decoding(sizes))


TRAINING = {
    "mtcourse": mtcourse_training,
    "mtcourse, plain products": plain_training,
    "transformers": transformers_training,
    "torch.nn.Transformer": torch_training,
    "joeynmt": joeynmt_training,
}
DECODING = {
    "mtcourse": mtcourse_decoding,
    "mtcourse, plain products": plain_decoding,
    "transformers": transformers_decoding,
    "joeynmt": joeynmt_decoding,
    "ctranslate2": ctranslate2_decoding,
}


def _without_end(step):
    """A step after which no sentence ends, so that all contestants decode equally many tokens."""

    def endless(ids, state):
        log_probs, state = step(ids, state)
        log_probs[..., EOS] = -math.inf
        return log_probs, state

    return endless


def _stepping(model: nn.Module, loss: Callable[[Batch], Tensor]) -> TrainingStep:
    """Clipping and torch's fused Adam after another package's loss, as in this package's."""
    optimizer = torch.optim.Adam(
        model.parameters(),
        lr=OPTIMISATION.learning_rate,
        betas=OPTIMISATION.betas,
        eps=OPTIMISATION.eps,
        fused=True,
    )

    def step(number: int, batch: Batch) -> float:
        optimizer.zero_grad()
        mean = loss(batch)
        mean.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return float(mean.detach())

    return step


def _cross_entropy(logits: Tensor, batch: Batch) -> Tensor:
    """torch's own loss over all logits."""
    return F.cross_entropy(
        logits.flatten(0, 1),
        batch.labels.flatten(),
        ignore_index=PAD,
        label_smoothing=SMOOTHING,
    )


class _TorchTransformer(nn.Module):
    """What a user of ``torch.nn.Transformer`` writes around it."""

    P: Tensor

    def __init__(self, sizes: EncoderDecoderConfig) -> None:
        super().__init__()
        self.transformer = nn.Transformer(
            sizes.d_model,
            sizes.h,
            sizes.encoder_layers,
            sizes.decoder_layers,
            sizes.d_ff,
            sizes.dropout,
            batch_first=True,
        )
        self.table = nn.Embedding(sizes.V_t, sizes.d_model)
        nn.init.normal_(self.table.weight, std=sizes.d_model**-0.5)
        self.dropout = nn.Dropout(sizes.dropout)
        self.register_buffer("P", sinusoidal_positions(sizes.max_length, sizes.d_model))

    def forward(self, batch: Batch) -> Tensor:
        padding = batch.source == PAD
        m = batch.decoder_input.shape[1]
        H_D = self.transformer(
            self._embed(batch.source),
            self._embed(batch.decoder_input),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(m),
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return H_D @ self.table.weight.T

    def _embed(self, ids: Tensor) -> Tensor:
        rows = self.table(ids) * math.sqrt(self.table.embedding_dim)
        return self.dropout(rows + self.P[: ids.shape[1]])


def _joeynmt_model(sizes: EncoderDecoderConfig) -> nn.Module:
    """joeynmt's Transformer from its own configuration."""
    from joeynmt.model import build_model
    from joeynmt.vocabulary import Vocabulary

    special = SimpleNamespace(
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_id=1,
        unk_id=0,
        bos_id=2,
        eos_id=3,
        sep_token=None,
        sep_id=None,
        lang_tags=[],
    )
    vocabulary = Vocabulary([str(i) for i in range(4, sizes.V_t)], special)
    side = {
        "type": "transformer",
        "num_heads": sizes.h,
        "embeddings": {"embedding_dim": sizes.d_model, "scale": True, "dropout": sizes.dropout},
        "hidden_size": sizes.d_model,
        "ff_size": sizes.d_ff,
        "dropout": sizes.dropout,
        "layer_norm": "post",
    }
    config = {
        "initializer": "xavier_uniform",
        "embed_initializer": "xavier_uniform",
        "tied_embeddings": True,
        "tied_softmax": True,
        "encoder": {**side, "num_layers": sizes.encoder_layers},
        "decoder": {**side, "num_layers": sizes.decoder_layers},
    }
    return build_model(config, vocabulary, vocabulary)


def _joeynmt_batch(source: Tensor, labels: Tensor | None):
    """The same sentences as joeynmt wants them: <unk> and <pad> have each other's ids."""
    from joeynmt.batch import Batch as JoeynmtBatch

    def renumbered(ids: Tensor) -> Tensor:
        return torch.where(ids == PAD, UNK, torch.where(ids == UNK, PAD, ids))

    target = None
    if labels is not None:
        target = renumbered(torch.cat([labels.new_full((len(labels), 1), BOS), labels], dim=1))
    return JoeynmtBatch(
        src=renumbered(source),
        src_length=(source != PAD).sum(1),
        src_prompt_mask=None,
        trg=target,
        trg_prompt_mask=None,
        indices=torch.arange(len(source)),
        device=torch.device("cpu"),
        pad_index=UNK,
        eos_index=EOS,
    )
