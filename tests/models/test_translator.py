"""Sentences in, sentences out: whatever the model, the translator must not lose or mix them."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch

from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import attention_weights, scaled_dot_product_attention
from mtcourse.models.recorded_attention import recorded_attention
from mtcourse.models.translator import Translator, pick_device
from mtcourse.text.tokenizer import TokenizerPair
from tests.helpers.oracles import model_of_seed
from tests.helpers.small_corpus import PAIRS

SENTENCES = ["The old dog sleeps.", "A cat", "", "Do you see the small house over there?", "  "]


@pytest.fixture(scope="module")
def translator() -> Translator:
    tokenizers = TokenizerPair.train(PAIRS, 320)
    size = tokenizers.source.vocabulary_size
    return Translator(model_of_seed(2, V_s=size, V_t=size, max_length=64), tokenizers)


def second_best(step, state, max_lengths):
    """A learner's own strategy: of a beam search, what came second."""
    return [[second] for _, second in beam_search(step, state, max_lengths, beams=2, n_best=2)]


@pytest.mark.parametrize("search", [greedy_search, partial(beam_search, beams=3), second_best])
def test_each_sentence_has_its_own_translation_whatever_the_batch(translator, search):
    together = translator.translate(SENTENCES, search)
    assert together == [translator.translate([sentence], search)[0] for sentence in SENTENCES]
    apart = translator.candidates(SENTENCES, search, sentences_per_batch=2)
    assert together == [best.text for best, *_ in apart]
    assert together[2] == together[4] == ""
    assert all(together[i] for i in (0, 1, 3))


def test_n_best_are_sorted_distinct_and_their_scores_follow_from_the_log_probabilities(translator):
    (candidates,) = translator.candidates(
        ["The old dog sleeps."], partial(beam_search, beams=4, n_best=4)
    )
    scores = [candidate.score for candidate in candidates]
    assert scores == sorted(scores, reverse=True)
    assert len(candidates) == 4
    assert all(c.log_probability < c.score < 0 for c in candidates)


def test_saving_and_loading_keeps_every_translation(translator, tmp_path):
    translator.save(tmp_path / "run")
    loaded = Translator.load(tmp_path / "run", device="cpu")
    assert loaded.translate(SENTENCES) == translator.translate(SENTENCES)
    readable = Translator.load(tmp_path / "run", "cpu", scaled_dot_product_attention)
    assert readable.translate(SENTENCES) == translator.translate(SENTENCES)


def test_half_precision_halves_the_file(translator, tmp_path):
    for name, dtype in (("full", torch.float32), ("half", torch.float16)):
        translator.save(tmp_path / name, dtype)
    sizes = [
        (tmp_path / name / "best" / "weights.safetensors").stat().st_size
        for name in ("full", "half")
    ]
    assert sizes[1] < 0.65 * sizes[0]
    assert Translator.load(tmp_path / "half", "cpu").model.output_weight.dtype == torch.float32


def test_attention_map_rows_are_target_pieces_and_sum_to_1(translator):
    drawn = translator.attention_map("The old dog sleeps.", "De oude hond slaapt.")
    layers, h, m, n = drawn.weights.shape
    assert (layers, h) == (2, 4)
    assert m == len(drawn.target_pieces)
    assert n == len(drawn.source_pieces)
    assert drawn.source_pieces[-1] == drawn.target_pieces[-1] == "<eos>"
    torch.testing.assert_close(drawn.weights.sum(-1), torch.ones(layers, h, m))
    before = translator.translate(["The old dog sleeps."])
    assert translator.attention_map("The old dog sleeps.").target_pieces[-1] == "<eos>"
    assert translator.translate(["The old dog sleeps."]) == before


def test_products_scaled_and_masked_are_the_weights_of_the_map(translator):
    pair = ("The old dog sleeps.", "De oude hond slaapt.")
    looked, products = translator.attention_map(*pair), translator.attention_products(*pair)
    assert products.d_k == 4
    assert products.target_pieces == looked.target_pieces
    assert products.decoder_pieces == ("<bos>", *looked.target_pieces[:-1])
    weights = attention_weights(products.cross / math.sqrt(products.d_k))
    torch.testing.assert_close(weights, looked.weights)
    n, m = len(products.source_pieces), len(products.target_pieces)
    assert products.encoder.shape == (2, 4, n, n)
    assert products.decoder.shape == (2, 4, m, m)


def test_products_are_those_of_the_first_layers_rows(translator):
    """An outside count: the first layer's queries and keys, made by hand from the embeddings."""
    products = translator.attention_products("The old dog sleeps.")
    (ids,) = translator._encode(["The old dog sleeps."])
    block = translator.model.encoder[0]
    with torch.no_grad():
        X = translator.model.source_embedding(torch.tensor([ids]))
        rows = block.around_self_attention.layer_norm(X)[0]
        Q, K, _ = block.self_attention.W_QKV(rows).chunk(3, dim=-1)
    for head, part in enumerate(zip(Q.split(4, -1), K.split(4, -1), strict=True)):
        torch.testing.assert_close(products.encoder[0, head], part[0] @ part[1].T)


def test_recording_gives_every_layer_its_own_attention_back(translator):
    layer = translator.model.decoder[0].cross_attention
    before = layer.attention
    with pytest.raises(RuntimeError), recorded_attention([layer]):
        layer(torch.ones(1, 2, 3), *torch.ones(2, 1, 4, 2, 4))  # too narrow
    assert layer.attention is before


def test_a_sentence_that_is_too_long_is_named(translator):
    with pytest.raises(MtcourseError, match=r"'dog dog .*maximum is 64"):
        translator.translate(["A cat", "dog " * 100])


def test_a_folder_without_a_translator_says_what_it_needs(tmp_path):
    with pytest.raises(MtcourseError, match="there is no translator in .*'best' or 'last'"):
        Translator.load(tmp_path)


def test_tokenizers_of_another_size_are_refused(translator):
    with pytest.raises(MtcourseError, match="V_s 40"):
        Translator(model_of_seed(), translator.tokenizers)


def test_devices_by_name():
    assert pick_device("cpu") == torch.device("cpu")
    assert pick_device("auto").type in ("cuda", "mps", "cpu")
    with pytest.raises(MtcourseError, match=r"no device 'toaster' here; there is .*cpu"):
        pick_device("toaster")
