"""The claims of papers: intervals, rules, what each entry names, and what swapped results do."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.chapters.reproduced_claims import (
    chapter_16,
    chapter_17,
    chapters_1_to_9,
    chapters_10_to_12,
    chapters_13_to_15,
)
from mtcourse.chapters.reproduced_claims.comparisons import by_start, exponent, percent_lower
from mtcourse.chapters.reproduced_claims.effects import Effect
from mtcourse.chapters.reproduced_claims.entries import address, effect_in_words, entry, overview
from mtcourse.chapters.reproduced_claims.every_claim import reproduced_claims
from mtcourse.chapters.reproduced_claims.plots import forest
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import More, NoWorse, Number, Verdict
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import load_measured
from mtcourse.figures.style import new_axes

ROOT = Path(__file__).resolve().parents[2]
MODULES = (chapters_1_to_9, chapters_10_to_12, chapters_13_to_15, chapter_16, chapter_17)
FUNCTIONS = [(module, claim) for module in MODULES for claim in module.CLAIMS]
NAMED = pytest.mark.parametrize(
    ("module", "claim"), FUNCTIONS, ids=[claim.__name__ for _, claim in FUNCTIONS]
)
ORDER = [Verdict.NOT_HERE, Verdict.WEAKER, Verdict.HOLDS]
VALUES = st.lists(st.floats(-50, 50), min_size=2, max_size=12)


# --- intervals ----------------------------------------------------------------------------------


def test_a_value_outside_of_its_interval_is_an_error():
    with pytest.raises(MtcourseError, match="outside"):
        Effect.of_resamples(3.0, 0.0, 2.0)


# --- rules --------------------------------------------------------------------------------------


@given(VALUES, st.floats(0, 20))
@pytest.mark.parametrize("rule", [More(), More(5.0), NoWorse()])
def test_a_larger_effect_never_gets_a_worse_verdict(rule, values, more):
    before, after = (
        ORDER.index(rule.verdict(Effect.of_starts([value + plus for value in values])))
        for plus in (0.0, more)
    )
    assert after >= before


@given(VALUES)
def test_what_is_better_in_every_start_is_worse_in_none(values):
    up = More().verdict(Effect.of_starts(values))
    down = More().verdict(Effect.of_starts([-value for value in values]))
    assert up == Verdict.NOT_HERE or down == Verdict.NOT_HERE
    assert (up == Verdict.HOLDS) == (min(values) > 0)


def test_one_reversal_in_ten_starts_or_half_of_the_effect_is_weaker():
    nine, eight = [1.0] * 9 + [-1.0], [1.0] * 8 + [-1.0] * 2
    assert More().verdict(Effect.of_starts(nine)) == Verdict.WEAKER
    assert More().verdict(Effect.of_starts(eight)) == Verdict.NOT_HERE
    assert More(2.1).verdict(Effect.of_starts([1.0] * 10)) == Verdict.WEAKER
    assert More(1.9).verdict(Effect.of_starts([1.0] * 10)) == Verdict.HOLDS


@pytest.mark.parametrize(
    ("low", "value", "high", "expected"),
    [
        (-0.9, 0.0, 0.9, Verdict.HOLDS),
        (4.0, 5.0, 6.0, Verdict.HOLDS),
        (-1.1, 0.0, 0.9, Verdict.WEAKER),
        (-3.0, -2.0, 0.5, Verdict.NOT_HERE),
    ],
)
def test_as_good_may_lose_less_than_one_point(low, value, high, expected):
    assert NoWorse().verdict(Effect.of_resamples(value, low, high)) == expected


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.sampled_from([-3.0, 0.5, 7.0]))
def test_a_number_is_compared_by_its_ratio(ours, theirs, scale):
    found = Number(theirs).verdict(Effect.exact(ours))
    ratio = ours / theirs
    clear = min(abs(ratio - edge) for edge in (0.5, 0.9, 1.1, 2.0)) > 1e-6
    if clear:
        assert found == Number(theirs * scale).verdict(Effect.exact(ours * scale))
        near = 0.9 < ratio < 1.1
        assert found == (
            Verdict.HOLDS if near else Verdict.WEAKER if 0.5 < ratio < 2 else Verdict.NOT_HERE
        )


def test_an_interval_that_contains_the_number_is_enough():
    assert Number(1.0).verdict(Effect.of_starts([0.3, 1.5])) == Verdict.HOLDS
    assert Number(1.0).verdict(Effect.of_starts([0.3, 0.35])) == Verdict.NOT_HERE


# --- comparisons --------------------------------------------------------------------------------


def test_starts_are_compared_one_by_one():
    assert by_start([3, 5, 9], [1, 1, 1], 10).values == (20, 40, 80)
    assert percent_lower([1, 3], [2, 4]).values == (50, 25)
    with pytest.raises(MtcourseError, match="same starts"):
        by_start([1, 2], [1])


def test_the_exponent_is_the_slope_of_the_logarithms():
    sizes, values = [1, 2, 5, 9, 20], [3.0, 2.5, 1.1, 1.2, 0.4]
    slope = np.polyfit(np.log(sizes), np.log(values), 1)[0]
    assert exponent(sizes, values) == pytest.approx(slope)


# --- what each claim names ----------------------------------------------------------------------


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the measurements that are loaded."""
    names: list[str] = []

    def load(name: str) -> dict[str, Any]:
        names.append(name)
        return load_measured(name)

    for module in MODULES:
        monkeypatch.setattr(module, "load_measured", load)
    return names


@NAMED
def test_script_page_and_paper_exist(module, claim, read):
    made: Reproduced = claim()
    assert {load_measured(name)["made"]["script"] for name in read} == {made.script}
    assert (ROOT / made.script).is_file()
    assert (ROOT / "book" / f"{made.chapter}.md").is_file()
    bibliography = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    assert re.search(rf"^@\w+{{{made.paper},", bibliography, re.MULTILINE)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", made.name)
    numbers = re.findall(r"\d+", module.__name__.rpartition(".")[2])
    assert int(numbers[0]) <= int(made.chapter[:2]) <= int(numbers[-1])
    assert all(text.strip().endswith(".") for text in (made.theirs, made.differs))
    assert made.place
    assert not made.ours.endswith(".")


def test_names_and_titles_differ_and_parts_two_and_three_have_fifteen():
    parts = reproduced_claims()
    every = [claim for of_part in parts.values() for claim in of_part]
    assert len({claim.name for claim in every}) == len({claim.title for claim in every})
    assert len({claim.name for claim in every}) == len(every) == len(FUNCTIONS)
    assert sum(claim.chapter[:2] >= "10" for claim in every) >= 15
    assert {claim.verdict for claim in every} == set(Verdict)


# --- stored results that change -----------------------------------------------------------------


def swapped(*path: str, one: str, other: str) -> Callable[[dict[str, Any]], None]:
    """Gives the results of one way to the other; * stands for all of a list, + for all values."""

    def change(stored: dict[str, Any]) -> None:
        found: list[Any] = [stored]
        for key in path:
            if key == "*":
                found = [one for of in found for one in of]
            elif key == "+":
                found = [one for of in found for one in of.values()]
            else:
                found = [of[key] for of in found]
        for of in found:
            of[one], of[other] = of[other], of[one]

    return change


def negated(*path: str) -> Callable[[dict[str, Any]], None]:
    """Turns a change and its interval round."""

    def change(stored: dict[str, Any]) -> None:
        for key in path[:-1]:
            stored = stored[key]
        value, low, high = stored[path[-1]]
        stored[path[-1]] = [-value, -high, -low]

    return change


WARM, COLD = "with warm-up", "no warm-up"
SWAPS = [
    ("division", swapped("new", "0.003", one="divided", other="undivided")),
    ("no_positions", swapped("models", one="shift only", other="both")),
    ("too_many_heads", swapped("heads", one="16", other="4")),
    ("cross_attention_needs_heads", negated("cross-attention loses more")),
    ("skip_connections", swapped("cosines", one="attention alone", other="attention and residual")),
    (
        "networks_slow_collapse",
        swapped("cosines", one="attention alone", other="attention and network"),
    ),
    ("pre_norm_needs_none", swapped("losses", one=f"pre-norm, {WARM}", other=f"pre-norm, {COLD}")),
    ("deep_pre_norm", swapped("losses", one=f"pre-norm, {WARM}", other=f"post-norm, {WARM}")),
    (
        "bits_per_byte",
        swapped("texts", "LibreOffice's help", "vocabularies", one="371", other="8000"),
    ),
    ("contamination_hurts", swapped("losses", one="packed, masked", other="packed, no mask")),
    ("shallow_decoder_is_fast", swapped("speed in batches of 1", one="4 + 1", other="2 + 3")),
    ("shallow_decoder_is_good", swapped("bleu", one="4 + 1", other="2 + 3")),
    ("masks_only_frozen", swapped("kinds", one="80/10/10", other="100/0/0")),
    ("fine_tuning_is_robust", swapped("kinds", one="80/10/10", other="100/0/0")),
    ("random_only", swapped("kinds", one="80/10/10", other="0/0/100")),
    (
        "pretraining_helps",
        swapped("starts", "*", "curves", "+", one="all parameters", other="from nothing"),
    ),
    (
        "other_language",
        swapped("starts", "*", "curves", "+", one="all parameters", other="from nothing"),
    ),
    (
        "frozen_is_close",
        swapped("starts", "*", "curves", "+", one="all parameters", other="head alone"),
    ),
    (
        "few_labels_suffice",
        swapped("starts", "*", "curves", "+", "+", one="50", other="5000"),
    ),
    ("decoder_alone", swapped("bleu", one="causal decoder", other="encoder-decoder")),
    ("reading_row", swapped("starts", "*", "aer", "weights", one="writes", other="reads")),
    ("function_words_survive", lambda stored: [
        of["both"].update(function=of["both"]["content"], content=of["both"]["function"])
        for run in stored["starts"] for of in run["kept"].values()
    ]),
    ("attention_is_needed", swapped("starts", "*", "retrained", one="own", other="uniform")),
    (
        "weights_foretell_harm",
        swapped("starts", "*", "erasure", one="weights, layer 2", other="random"),
    ),
    (
        "gradients_foretell_better",
        swapped("starts", "*", "erasure", one="weights, layer 2", other="gradient"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change"), SWAPS, ids=[name for name, _ in SWAPS])
def test_swapped_results_turn_the_verdict_round(name, change, monkeypatch):
    ((module, claim),) = [(of, one) for of, one in FUNCTIONS if one.__name__ == name]
    before = claim().verdict

    def load(measured: str) -> dict[str, Any]:
        stored = load_measured(measured)
        change(stored)
        return stored

    monkeypatch.setattr(module, "load_measured", load)
    after = claim().verdict
    assert Verdict.NOT_HERE in (before, after)
    assert before != after


# --- numbers by another way ---------------------------------------------------------------------


def test_the_decoder_alone_loses_what_its_medians_lose():
    bleu = load_measured("seq2seq")["bleu"]
    pairs = zip(bleu["causal decoder"], bleu["encoder-decoder"], strict=True)
    expected = statistics.median(a - b for a, b in pairs)
    assert chapter_17.decoder_alone().effect.median == pytest.approx(expected)


def test_accuracies_are_means_of_both_tasks_judged_the_same_way():
    kinds = load_measured("masking_strategies")["kinds"]
    for how, claim, one, other in (
        ("frozen", chapters_13_to_15.masks_only_frozen, "80/10/10", "100/0/0"),
        ("fine-tuned", chapters_13_to_15.fine_tuning_is_robust, "100/0/0", "80/10/10"),
        ("fine-tuned", chapters_13_to_15.random_only, "80/10/10", "0/0/100"),
    ):
        differences = sum(
            np.array(kinds[one][f"{how} {task}"]) - np.array(kinds[other][f"{how} {task}"])
            for task in ("parts", "roles")
        )
        assert claim().effect.values == pytest.approx(100 * differences / 2)


def test_the_loss_at_the_end_is_the_mean_of_five_records():
    losses = load_measured("warmup")["losses"]
    warm, cold = (
        np.array(losses[kind])[:, -5:].mean(1)
        for kind in ("post-norm, with warm-up", "post-norm, no warm-up")
    )
    found = chapters_10_to_12.post_norm_needs_warmup().effect.values
    assert found == pytest.approx(100 * (1 - warm / cold))


def test_the_exponent_is_that_of_the_last_block_in_each_start():
    depth = load_measured("depth")
    norms = depth["gradients"]["decoder"]["pre-norm"]
    deep = [L for L in depth["depths"] if L > 5]
    expected = [
        np.polyfit(np.log(deep), np.log([norms[str(L)][start][-1] for L in deep]), 1)[0]
        for start in range(10)
    ]
    assert chapters_10_to_12.gradient_of_last_block().effect.values == pytest.approx(expected)


def test_sizes_are_those_of_the_shipped_translator():
    from mtcourse.models.translator import Translator
    from scripts import measure_shipped

    found = measure_shipped.parameters(Translator.load(device="cpu").model)
    assert found == load_measured("shipped")["parameters"]
    assert found["separate tables"] == found["all"] + 2 * found["table"]


# --- the page -----------------------------------------------------------------------------------


def test_entries_have_an_address_that_the_overview_leads_to():
    parts = reproduced_claims()
    lists = overview(parts)
    for claim in itertools.chain(*parts.values()):
        text = entry(claim, "https://example.org/files")
        assert text.startswith(f"({address(claim)})=\n{claim.title}\n: ")
        assert f"](#{address(claim)})" in lists
        for part in (str(claim.verdict), claim.script, claim.place):
            assert part in text


@pytest.mark.parametrize(
    ("effect", "unit", "digits", "text"),
    [
        (Effect.exact(2 / 3), "", 2, "0.67, exact"),
        (Effect.of_starts([-1.0] * 10), "BLEU", 0, "−1 BLEU (98% interval −1 to −1, 10 starts)"),
        (
            Effect.of_resamples(3.1, 2.3, 4.1), "%", 1,
            "3.1% (95% interval 2.3 to 4.1, resampled sentences)",
        ),
        (Effect.exact(-0.001), "points", 1, "0.0 points, exact"),
    ],
)  # fmt: skip
def test_numbers_are_written_with_their_interval(effect, unit, digits, text):
    assert effect_in_words(effect, unit, digits) == text


def test_the_figure_draws_multiples_of_the_papers_numbers():
    every = itertools.chain(*reproduced_claims().values())
    comparable = [claim for claim in every if claim.relative is not None]
    ax = forest(comparable, new_axes(6.0, 4.0))
    lines = [line for line in ax.lines if line.get_linewidth() == 2]
    for claim, line in zip(comparable, lines, strict=True):
        low, high = line.get_xdata()
        assert low <= claim.relative[0] <= high
    assert [text.get_text() for text in ax.texts] == [claim.title for claim in comparable]


def test_a_claim_without_a_number_to_compare_with_is_not_drawn():
    with pytest.raises(MtcourseError, match="division"):
        forest([chapters_1_to_9.division()], new_axes(6.0, 4.0))
