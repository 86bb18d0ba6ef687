"""The exercises of chapter 14 against torch, the package, brute force and a model."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.chapters.kv_cache.counts import cache_bytes, generation_products
from mtcourse.chapters.kv_cache.exercises import (
    attention_step,
    beams_move,
    cache_lines,
    cache_memory,
    chunk_mask,
    grouped_keys,
    products_saved,
    translator_step,
    what_is_kept,
)
from mtcourse.chapters.kv_cache.row_beams import no_caches
from mtcourse.checks.judge import judge
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.layers.masks import causal_mask
from mtcourse.layers.multi_head import SelfAttention
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.transformer import TransformerConfig

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions" / "14_kv_cache.ipynb"


def drawn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64)


@settings(deadline=None)
@given(st.integers(1, 7), st.integers(1, 5), st.integers(1, 5))
def test_the_steps_are_torchs_causal_attention(n, d_k, d_v):
    X, (W_Q, W_K), W_V = drawn(2, n, 6), drawn(2, 6, d_k), drawn(6, d_v)
    K, V, outputs = drawn(2, 0, d_k), drawn(2, 0, d_v), []
    for x in X.split(1, dim=1):
        a, K, V = attention_step.correct(x, W_Q, W_K, W_V, K, V)
        outputs.append(a)
    expected = F.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V, is_causal=True)
    torch.testing.assert_close(torch.cat(outputs, 1), expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(K, X @ W_K)


@settings(deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1), st.integers(1, 5))
def test_a_chunk_sees_the_real_tokens_up_to_its_own(rows, m):
    found = chunk_mask.correct(torch.tensor(rows), m)
    assert found.shape == (len(rows), 1, m, 5)
    for b, i, j in itertools.product(range(len(rows)), range(m), range(5)):
        assert found[b, 0, i, j] == (rows[b][j] and j <= 5 - m + i)
    torch.testing.assert_close(
        chunk_mask.correct(torch.ones(1, 5, dtype=torch.bool), m)[0, 0], causal_mask(m, 5)
    )


@given(st.data(), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4))
def test_each_beam_takes_the_row_with_its_parents_name(data, sentences, old, new):
    numbers = st.lists(st.integers(0, old - 1), min_size=new, max_size=new)
    parents = data.draw(st.lists(numbers, min_size=sentences, max_size=sentences))
    names = torch.tensor([[10 * s + b] for s in range(sentences) for b in range(old)])
    K = names[:, :, None, None].expand(-1, 2, 3, 1).double()
    found_K, found_V = beams_move.correct(K, -K, torch.tensor(parents))
    expected = [10 * s + parent for s, of in enumerate(parents) for parent in of]
    assert found_K[:, 0, 0, 0].tolist() == expected
    assert torch.equal(found_V, -found_K)


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 4))
def test_shared_heads_are_torchs(in_a_group, groups):
    Q = drawn(2, in_a_group * groups, 3, 4)
    K, V = drawn(2, 2, groups, 5, 4)
    expected = F.scaled_dot_product_attention(Q, K, V, enable_gqa=True)
    torch.testing.assert_close(grouped_keys.correct(Q, K, V), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("T", [1, 2, 7, 30])
def test_the_coefficients_sum_to_what_the_steps_cost(T):
    sizes = TransformerConfig(50, d_model=12, h=2, d_ff=40, layers=3)
    found = products_saved.correct(3, 12, 40, 50)
    for way, cached in (("with", True), ("without", False)):
        total = sum(
            Fraction(found[f"{way} cache, {power}"]).limit_denominator(6) * T**k
            for k, power in enumerate(("T", "T^2", "T^3"), start=1)
        )
        assert total == generation_products(sizes, T, cached)


def test_the_bytes_are_the_formulas():
    found = cache_memory.correct(cache_memory.NUMBERS.published)
    assert found["token"] == cache_bytes(10, 12, 64, 1, 1, 4)
    assert found["text"] == cache_bytes(10, 12, 64, 1000, 1, 4)
    assert found["beams"] == cache_bytes(10, 12, 64, 1000, 32, 4)
    assert found["bfloat16"] == cache_bytes(10, 12, 64, 1000, 32, 2)
    assert found["groups"] == cache_bytes(10, 3, 64, 1000, 1, 4)
    assert found["inputs"] == torch.empty(10, 1000, 768, device="meta").numel() * 4
    assert found["source"] == cache_bytes(10, 12, 64, 900, 1, 4)


@torch.no_grad()
def test_the_cached_layer_is_the_translators():
    layer = SelfAttention(8, 2).double()
    mask = torch.rand(3, 1, 2, 7, generator=torch.Generator().manual_seed(1)) < 0.5
    mask[..., :1] = True
    cached = drawn(2, 3, 2, 5, 4)
    cache = KeyValueCache.empty(3, 2, 4, 8, cached).append(*cached)
    X = drawn(3, 2, 8)
    expected, grown = layer(X, mask, cache=cache)
    with_ones = torch.cat([X, torch.ones(3, 2, 1)], -1)
    matrices = torch.cat([layer.W_QKV.weight.T, layer.W_QKV.bias[None]]).chunk(3, -1)
    A, K, V = translator_step.correct(
        with_ones, *matrices, layer.W_O.weight.T, 2, *cached, mask[:, 0]
    )
    torch.testing.assert_close(A + layer.W_O.bias, expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close((K, V), (grown.K, grown.V), rtol=1e-9, atol=1e-9)


@torch.no_grad()
def test_a_change_spoils_what_a_model_would_compute_anew():
    sizes = TransformerConfig(40, d_model=16, h=2, d_ff=32, layers=3, dropout=0.0)
    model, updated = DecoderModel(sizes, seed=1).double(), DecoderModel(sizes, seed=2).double()
    ids = [2, 7, 11, 5, 23]

    def keys(ids, model=model, mask=None):
        caches = model.extend(torch.tensor([ids]), no_caches(model, 1, 8), 0, mask)[1]
        return torch.stack([cache.K for cache in caches])

    before, everything = keys(ids), torch.ones(1, 1, 5, 5, dtype=torch.bool)
    anew = {
        "a token is appended": (keys([*ids, 9])[..., :5, :], before),
        "the last token is taken back": (keys(ids[:4]), before[..., :4, :]),
        "the second token is replaced": (keys([2, 9, *ids[2:]]), before),
        "the first token is removed, and the others move up": (keys(ids[1:]), before[..., 1:, :]),
        "the weights are updated": (keys(ids, updated), before),
        "the causal mask is taken away": (keys(ids, mask=everything), before),
    }
    for change, (now, then) in anew.items():
        valid = bool(((now - then).abs() < 1e-12).all())
        assert what_is_kept.correct()[change] == ("valid" if valid else "spoilt")


def strange_step(*given):
    """An output that no known mistake gives, beside the right keys and values."""
    A, K, V = attention_step.correct(*given)
    return A.tanh(), K, V


def strange_layer(*given):
    """The same of the translator's layer."""
    A, K, V = translator_step.correct(*given)
    return A.tanh(), K, V


def strange_beams(K, V, parents):
    """Keys that no known mistake gives, beside the right values."""
    K, V = beams_move.correct(K, V, parents)
    return K.tanh(), V


@pytest.mark.by_turns(3)
@pytest.mark.parametrize(
    ("bank", "name", "strange", "part"),
    [
        *((attention_step, name, strange_step, 0) for name in ("cache_not_grown",
          "only_the_new_rows", "keys_and_values_exchanged")),
        *((translator_step, name, strange_layer, 0) for name in ("cache_not_grown",
          "only_the_new", "cache_of_whole_rows", "cache_of_rows_first",
          "keys_and_values_exchanged", "new_in_front_after_attending")),
        *((beams_move, name, strange_beams, 0) for name in ("keys_alone_move",
          "values_of_the_first_sentence")),
    ],
)  # fmt: skip
def test_a_mistake_in_one_part_says_nothing_of_the_others(bank, name, strange, part):
    def answer(*given):
        parts = list(getattr(bank.Wrong, name)(*given))
        parts[part] = strange(*given)[part]
        return tuple(parts)

    verdict = judge(bank.EXERCISE, answer)
    assert verdict.misconception == name
    assert "right" not in verdict.message
    assert "Your keys" not in verdict.message


def test_any_mask_is_obeyed_among_the_new_columns():
    def beside(change):
        def answer(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
            m, t = X.shape[1], K.shape[2]
            allowed = mask.clone()
            allowed[..., t:] = change(mask[..., t:], torch.eye(m, dtype=torch.bool))
            return translator_step.correct(X, W_Q, W_K, W_V, W_O, h, K, V, allowed)

        return answer

    assert judge(translator_step.EXERCISE, beside(lambda new, own: new)).passed
    others = (
        torch.logical_and,
        torch.logical_or,
        lambda new, own: own,
        lambda new, own: new.tril(),
    )
    for change in others:
        assert not judge(translator_step.EXERCISE, beside(change)).passed


def shown(cell_id: str) -> str:
    cells = json.loads(SOLUTIONS.read_text(encoding="utf-8"))["cells"]
    return "".join(next(cell["source"] for cell in cells if cell["id"] == cell_id))


MENDED = {
    "B": ("x = x + P[:m]", "x = x + P[t : t + m]"),
    "E": ("torch.cat([old, new], dim=1)[parents]", "torch.cat([old[parents], new], dim=1)"),
    "G": (".tril()", ".tril(t)"),
}
FAILS = {
    "": set(),
    "B": {"one", "chunks", "beams"},
    "E": {"beams"},
    "G": {"one", "chunks", "beams"},
}


@pytest.mark.parametrize("left", FAILS)
def test_each_line_is_to_blame_for_what_its_test_finds(left, capsys):
    code = shown("cache-lines-broken")
    for letter, (broken, right) in MENDED.items():
        assert code.count(broken) == 1
        assert next(line for line in code.split("\n") if broken in line).endswith(f"# {letter}")
        code = code if letter == left else code.replace(broken, right)
    exec(
        code + "\n" + shown("cache-lines-tests"),
        {"torch": torch, "math": math, "Tensor": torch.Tensor},
    )
    names = {"one token": "one", "a prompt of 3": "chunks", "the last row": "beams"}
    told = capsys.readouterr().out.splitlines()
    wrong = {
        names.get(key)
        for key in ("a prompt of 6", *names)
        for line in told
        if line.startswith(key) and "WRONG" in line
    }
    assert wrong == FAILS[left]


def test_the_letters_are_those_of_the_broken_lines():
    letters = {letter for letter in cache_lines.EXERCISE.oracle().values() if letter != "none"}
    assert letters == set(MENDED)
