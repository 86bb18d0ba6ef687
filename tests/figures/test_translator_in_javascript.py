"""The translator in JavaScript is the package's: its pieces, its logits, and what search finds."""

from __future__ import annotations

import json
import random
import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.generation.logits_process import (
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.figures.explorer import JAVASCRIPT
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.pruned_heads import Head, without_heads
from mtcourse.models.translator import SHIPPED, Translator
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import EOS, Tokenizer, TokenizerPair, normalise
from tests.helpers.javascript import evaluated
from tests.helpers.oracles import markov_state, markov_step
from tests.helpers.small_corpus import PAIRS

SEARCH = JAVASCRIPT / "search.js"
TRANSLATOR = Translator.load(device="cpu")
SENTENCE = "Yesterday the old baker did not open the shop."


def vocabulary(tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "pieces": tokenizer.pieces(range(tokenizer.vocabulary_size)),
        "scores": tokenizer.scores,
    }


def with_model(
    translator: Translator, folder: Path, expression: str, script: Path = SEARCH, **values: Any
) -> Any:
    """The value of an expression that knows the model, its pieces and a step."""
    source, target = translator.tokenizers.source, translator.tokenizers.target
    (folder / "pieces.json").write_text(json.dumps([vocabulary(source), vocabulary(target)]))
    return evaluated(
        script,
        f"""(() => {{
            const file = readFileSync(folder + "/weights.safetensors");
            const whole = file.buffer.slice(file.byteOffset, file.byteOffset + file.length);
            const model = new EncoderDecoder(config, readWeights(whole));
            const step = (id, state) => model.step(id, state);
            const read = JSON.parse(readFileSync(pieces, "utf8"));
            const [source, target] = read.map((one) => new Pieces(one));
            return {expression};
        }})()""",
        config=translator.model.config.to_dict(),
        folder=str(SHIPPED / "best" if translator is TRANSLATOR else folder / "best"),
        pieces=str(folder / "pieces.json"),
        **values,
    )


# --- pieces -------------------------------------------------------------------------------------

ODD = (
    "▁_ \t\n\x1c\x1f\x85\xa0\u2028\u3000\ufeff\u200b\u0301\u030a\u0327\x00\x7f"
    "éÅçñßŉǆﬁ½²漢字かな한국어עִברית🙂🏽👩‍👩‍👧𝔘\ud800\udc00\U0010ffff\ufffd"
)
"""Spaces of every kind, marks that compose, what NFC leaves alone, and halves of pairs."""


def fuzzed(count: int) -> list[str]:
    """Strings of words, letters and odd characters; in none do two halves make a whole pair."""
    drawn = random.Random(0)
    words = " ".join(pair.source + " " + pair.target for pair in PAIRS).split()
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'\"-()"
    found = []
    for _ in range(count):
        parts = drawn.choices(
            [words, letters, ODD, [" "]], weights=drawn.choice(MIXTURES), k=drawn.randint(0, 12)
        )
        text = "".join(drawn.choice(part) for part in parts)
        found.append(re.sub("\ud800\udc00+", "\ud800", text))
    return found


MIXTURES = ([4, 1, 0, 3], [1, 4, 0, 1], [1, 4, 2, 1], [0, 1, 6, 1], [2, 2, 2, 2])


@cache
def tokenizers() -> list[Tokenizer]:
    """The translator's, and one so small that most words are letters and bytes."""
    return [TRANSLATOR.tokenizers.source, Tokenizer.train([pair.source for pair in PAIRS], 290)]


@pytest.mark.parametrize("number", [0, 1])
def test_the_pieces_of_a_hundred_thousand_strings_are_those_of_sentencepiece(number):
    tokenizer = tokenizers()[number]
    texts = fuzzed(100_000 if number == 0 else 5_000)
    ids, backs = evaluated(
        SEARCH,
        "(() => { const p = new Pieces(known); const ids = texts.map((text) => p.encode(text));"
        " return [ids, ids.map((one) => p.decode(one))]; })()",
        known=vocabulary(tokenizer),
        texts=texts,
    )
    wrong = [
        text for text, mine, its in zip(texts, ids, tokenizer.encode_all(texts), strict=True)
        if mine != its
    ]  # fmt: skip
    assert wrong == []
    assert backs == [normalise(text) for text in texts]


@pytest.mark.by_turns(3)
def test_the_pieces_of_the_whole_corpus_are_those_of_sentencepiece():
    splits = builtin_corpus().splits
    texts = [
        side for name in splits for pair in splits[name] for side in (pair.source, pair.target)
    ]
    assert len(texts) > 65_000
    known = vocabulary(TRANSLATOR.tokenizers.source)
    ids = evaluated(
        SEARCH,
        "(() => { const p = new Pieces(known); return texts.map((text) => p.encode(text)); })()",
        known=known,
        texts=texts,
    )
    assert ids == TRANSLATOR.tokenizers.source.encode_all(texts)


def test_any_ids_become_the_text_that_sentencepiece_makes_of_them():
    drawn = random.Random(1)
    tokenizer = TRANSLATOR.tokenizers.source
    mostly_bytes = [*range(4, 260)] * 3 + [*range(2000)]
    lists = [drawn.choices(mostly_bytes, k=drawn.randint(0, 9)) for _ in range(20_000)]
    lists += [[4 + byte for byte in drawn.choice("é漢🙂\ufeff").encode()] for _ in range(100)]
    known = vocabulary(tokenizer)
    texts = evaluated(
        SEARCH,
        "(() => { const p = new Pieces(known); return lists.map((ids) => p.decode(ids)); })()",
        known=known,
        lists=lists,
    )
    assert texts == tokenizer.decode_all(lists)


# --- the model ----------------------------------------------------------------------------------


def random_translator(folder: Path, **sizes: Any) -> Translator:
    """A model that nobody trained, with weights as large as those of a trained one."""
    both = [pair.source for pair in PAIRS] + [pair.target for pair in PAIRS]
    tokenizer = Tokenizer.train(both, 300)
    config = EncoderDecoderConfig(300, 300, d_model=24, h=3, d_ff=40, max_length=64, **sizes)
    translator = Translator(EncoderDecoder(config, seed=4), TokenizerPair(tokenizer, tokenizer))
    drawn = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in translator.model.parameters():
            weight.add_(0.05 * torch.randn(weight.shape, generator=drawn))
    translator.save(folder, torch.float16)
    return Translator.load(folder, device="cpu")


LOGITS = """(() => {
    let state = model.start(ids);
    return given.map((id) => { const r = step(id, state); ({ state } = r); return [...r.logits]; });
})()"""
"""Those after each piece of ``given``, with the cache."""


def logits_of(translator: Translator, sentence: str, target: list[int]) -> torch.Tensor:
    source = [*translator.tokenizers.source.encode(sentence), EOS]
    with torch.no_grad():
        return translator.model(pad([source]), shift_right(pad([target])))[0]


@pytest.mark.parametrize(
    "sizes",
    [
        None,
        {"norm": "post"},
        {"norm": "pre", "encoder_layers": 3, "decoder_layers": 1},
        {"shared_embeddings": False},
    ],
    ids=str,
)
def test_logits_are_those_of_the_package(tmp_path, sizes):
    translator = TRANSLATOR if sizes is None else random_translator(tmp_path, **sizes)
    source = [*translator.tokenizers.source.encode(SENTENCE), EOS]
    target = translator.tokenizers.target.encode("Gisteren opende de oude bakker de winkel niet.")[
        :20
    ]
    read = shift_right(pad([target]))[0].tolist()
    found = with_model(translator, tmp_path, LOGITS, ids=source, given=read)
    torch.testing.assert_close(
        torch.tensor(found), logits_of(translator, SENTENCE, target), rtol=0, atol=1e-4
    )
    assert len(found) == len(target) > 5


def test_attention_is_that_of_the_package(tmp_path):
    expected = TRANSLATOR.attention_map(SENTENCE)
    source = [*TRANSLATOR.tokenizers.source.encode(SENTENCE), EOS]
    longest = len(expected.target_pieces)
    found = with_model(
        TRANSLATOR,
        tmp_path,
        "[...writing(step, model.start(ids), longest)]"
        ".map((one) => one.attention.cross.map((layer) => layer.map((head) => [...head])))",
        ids=source,
        longest=longest,
    )
    weights = torch.tensor(found).permute(1, 2, 0, 3)
    torch.testing.assert_close(weights, expected.weights, rtol=0, atol=1e-5)


def test_heads_that_are_switched_off_are_missing_as_in_the_package(tmp_path):
    heads = [Head("encoder", 0, 1), Head("decoder", 1, 0), Head("cross", 1, 2), Head("cross", 0, 3)]
    with without_heads(TRANSLATOR.model, heads):
        expected = TRANSLATOR.translate([SENTENCE])[0]
        target = [*TRANSLATOR.tokenizers.target.encode(expected), EOS]
        logits = logits_of(TRANSLATOR, SENTENCE, target)
    assert not torch.allclose(logits, logits_of(TRANSLATOR, SENTENCE, target), atol=0.1)
    read = shift_right(pad([target]))[0].tolist()
    off = [f"{head.kind} {head.layer} {head.number}" for head in heads]
    found = with_model(
        TRANSLATOR,
        tmp_path,
        LOGITS.replace(
            "start(ids)",
            "start(ids, (kind, layer) => (head) => off.includes(`${kind} ${layer} ${head}`))",
        ),
        ids=[*TRANSLATOR.tokenizers.source.encode(SENTENCE), EOS],
        given=read,
        off=off,
    )
    torch.testing.assert_close(torch.tensor(found), logits, rtol=0, atol=1e-4)


def test_the_cache_changes_nothing(tmp_path):
    """A state is never changed: a step from an old one is the step that it was."""
    same = with_model(
        TRANSLATOR,
        tmp_path,
        """(() => {
            const states = [model.start(ids)], once = [];
            for (const id of given) {
                const read = step(id, states.at(-1));
                once.push([...read.logits]);
                states.push(read.state);
            }
            const again = given.map((id, t) => [...step(id, states[t]).logits]);
            const anew = given.map((_, t) => given.slice(0, t + 1).reduce(
                (before, id) => step(id, before.state), { state: model.start(ids) }).logits);
            return [again, anew.map((one) => [...one])].map((all) =>
                JSON.stringify(all) === JSON.stringify(once));
        })()""",
        ids=[*TRANSLATOR.tokenizers.source.encode(SENTENCE), EOS],
        given=[2, 500, 600, 700, 800],
    )
    assert same == [True, True]


# --- search -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_translations_of_every_kind_of_sentence_are_those_of_the_package(tmp_path):
    """Every 36th sentence of the three test sets, in alphabetical order."""
    splits = builtin_corpus().splits
    pairs = [pair for name in ("test", "compositional", "length") for pair in splits[name]]
    sentences = sorted({pair.source for pair in pairs})[::36]
    assert len(sentences) > 80
    search = partial(beam_search, beams=4, n_best=2)
    found = with_model(
        TRANSLATOR,
        tmp_path,
        """sentences.map((sentence) => {
            const ids = [...source.encode(sentence), EOS];
            const longest = longestTranslation(ids.length, config.max_length);
            const greedy = greedySearch(step, model.start(ids), longest);
            const beams = beamSearch(step, model.start(ids), longest, { beams: 4, nBest: 2 });
            return [greedy, ...beams.hypotheses].map((one) =>
                [target.decode(one.ids), one.logProbability]);
        })""",
        sentences=sentences,
    )
    expected = [
        [greedy, *beams]
        for (greedy,), beams in zip(
            TRANSLATOR.candidates(sentences), TRANSLATOR.candidates(sentences, search), strict=True
        )
    ]
    assert [[text for text, _ in one] for one in found] == [
        [candidate.text for candidate in one] for one in expected
    ]
    assert [log_p for one in found for _, log_p in one] == pytest.approx(
        [candidate.log_probability for one in expected for candidate in one], abs=1e-3
    )


def test_the_tree_of_a_beam_search_holds_what_was_considered(tmp_path):
    nodes, winners = with_model(
        TRANSLATOR,
        tmp_path,
        """(() => {
            const ids = [...source.encode(sentence), EOS];
            const longest = longestTranslation(ids.length, config.max_length);
            const found = beamSearch(step, model.start(ids), longest, { beams: 3, nBest: 2 });
            const nodes = [];
            const visit = (node) => {
                const { logProbability: before, fate } = node.parent ?? node;
                nodes.push([node.length, node.fate, node.logProbability, before, fate, !!node.won]);
                node.children.forEach(visit);
            };
            visit(found.root);
            return [nodes, found.hypotheses.map(({ ids, score }) => [ids.length, score])];
        })()""",
        sentence=SENTENCE,
    )
    assert all(log_p <= before for _, _, log_p, before, *_ in nodes)
    assert {fate for *_, fate, _ in nodes} == {"kept"}, "only what was kept is continued"
    for length in range(1, max(length for length, *_ in nodes) + 1):
        fates = [fate for at, fate, *_ in nodes if at == length]
        assert len(fates) == 6
        assert fates.count("kept") == 3
    assert sum(won for *_, won in nodes) == len(winners) == 2
    assert winners[0][1] >= winners[1][1]


def test_search_over_any_table_is_the_packages():
    """Also with penalties of every sign, and where sentences reach the maximum length."""
    drawn = random.Random(2)
    generator = torch.Generator().manual_seed(2)
    cases = []
    for _ in range(1500):
        V, longest, beams = drawn.randint(4, 7), drawn.randint(1, 6), drawn.randint(1, 4)
        scores = drawn.choice([2, 6]) * torch.randn(1, longest, V, V, generator=generator)
        table = scores.log_softmax(-1)
        penalty = drawn.choice([-1.0, -0.5, 0.0, 0.6, 1.0, 2.0])
        cases.append((table, longest, beams, penalty, drawn.randint(1, beams)))
    # Who stops after the first end, with 0.32, misses the better one after it, with 0.49.
    late = torch.tensor([[0.5, 0.17, 0.01, 0.32], [0.01, 0.005, 0.005, 0.98], [0.25] * 4]).log()
    cases.append((late[None, :, None].expand(1, 3, 4, 4), 3, 2, -0.5, 1))
    found = evaluated(
        SEARCH,
        """cases.map(([table, longest, beams, lengthPenalty, nBest]) => {
            const step = (id, t) => ({ logits: table[t][id], state: t + 1 });
            const greedy = greedySearch(step, 0, longest);
            const { hypotheses } = beamSearch(step, 0, longest, { beams, lengthPenalty, nBest });
            return [greedy, ...hypotheses].map(({ ids, score, logProbability }) =>
                [ids, score ?? logProbability]);
        })""",
        cases=[(table[0].tolist(), *rest) for table, *rest in cases],
    )
    for (table, longest, beams, penalty, n_best), mine in zip(cases, found, strict=True):
        lengths = torch.tensor([longest])
        (greedy,) = greedy_search(markov_step(table), markov_state(1), lengths)
        (best,) = beam_search(markov_step(table), markov_state(1), lengths, beams, penalty, n_best)
        assert [ids for ids, _ in mine] == [list(one.ids) for one in (*greedy, *best)]
        assert [score for _, score in mine] == pytest.approx(
            [one.score for one in (*greedy, *best)], abs=1e-4
        )


def test_of_equal_logits_the_first_is_taken():
    values = [1.0, 3.0, 3.0, 2.0, 3.0]
    assert evaluated(SEARCH, "argmax(values)", values=values) == 1
    assert evaluated(SEARCH, "largest(values, 5)", values=values) == [1, 2, 4, 3, 0]


def test_a_forced_beginning_is_kept_and_the_rest_is_the_models(tmp_path):
    (expected,) = TRANSLATOR.translate([SENTENCE])
    ids = TRANSLATOR.tokenizers.target.encode(expected)
    other = TRANSLATOR.tokenizers.target.encode("Niet")
    found = with_model(
        TRANSLATOR,
        tmp_path,
        """[forced, other].map((begin) => {
            const state = model.start([...source.encode(sentence), EOS]);
            return [...writing(step, state, 40, argmax, begin)].map((one) => [one.id, one.forced]);
        })""",
        sentence=SENTENCE,
        forced=ids[:4],
        other=other,
    )
    assert [id for id, _ in found[0]] == [*ids, EOS]
    assert [forced for _, forced in found[0]] == [True] * 4 + [False] * (len(ids) - 3)
    assert [id for id, _ in found[1]][: len(other)] == other


# --- from logits to logits ----------------------------------------------------------------------

logits = st.lists(st.floats(-9, 9, width=32), min_size=2, max_size=40, unique=True)


@settings(deadline=None, max_examples=1)
@given(st.data())
def test_temperature_and_cuts_are_those_of_transformers(data):
    cases = data.draw(
        st.lists(
            st.tuples(logits, st.floats(0.1, 5), st.integers(1, 45), st.floats(0.05, 0.99)),
            min_size=100, max_size=100,
        )
    )  # fmt: skip
    found = evaluated(
        SEARCH,
        "cases.map(([logits, t, k, p]) =>"
        " [withTemperature(logits, t), topK(logits, Math.min(k, logits.length)), topP(logits, p)])",
        cases=cases,
    )
    for (values, t, k, p), (warm, few, nucleus) in zip(cases, found, strict=True):
        row = torch.tensor([values], dtype=torch.float64)
        ids = torch.zeros(1, 1, dtype=torch.long)
        assert warm == pytest.approx(TemperatureLogitsWarper(t)(ids, row)[0].tolist())
        assert few == TopKLogitsWarper(k)(ids, row)[0].tolist()
        assert nucleus == TopPLogitsWarper(p)(ids, row)[0].tolist()


def test_draws_are_as_frequent_as_they_are_probable():
    counts = evaluated(
        SEARCH,
        "(() => { const counts = logits.map(() => 0);"
        " for (let i = 0; i < 10000; i++) counts[draw(logits, () => (i + 0.5) / 10000)]++;"
        " return counts; })()",
        logits=[0.0, 1.0, -1e9, 2.0],
    )
    shares = torch.tensor([0.0, 1.0, -1e9, 2.0]).softmax(0)
    assert counts == pytest.approx((10_000 * shares).tolist(), abs=1)
