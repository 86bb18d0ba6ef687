"""Numbers of cohorts: the same on every machine, others each year, mistakes still told apart."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest
import torch

from mtcourse.checks.banks import bank_folders, bank_of
from mtcourse.checks.checker import Checker
from mtcourse.checks.cohort import Numbers, find_confusion, vary
from mtcourse.checks.exercise import PUBLIC_SEED, functions_of, message_of, seed_of
from mtcourse.checks.judge import judge
from mtcourse.checks.outcomes import apart, outcome_of
from mtcourse.errors import MtcourseError

BANKS = {word: bank_of(f"00_{word}") for word in bank_folders()}
EXERCISES = {one.id: one for bank in BANKS.values() for one in bank}
VARIED = sorted(one.id for one in EXERCISES.values() if one.versions)
YEARS = [str(year) for year in range(2026, 2030)]


def numbers_of(name, cohort):
    return EXERCISES[name].versions.numbers_of(cohort)


def key_of(name, cohort):
    return EXERCISES[name].for_cohort(cohort).oracle()


def test_exercises_of_three_chapters_and_more_vary():
    chapters = {word for word, bank in BANKS.items() if any(one.versions for one in bank)}
    assert len(chapters) >= 3


def test_the_draw_is_the_same_on_every_machine():
    """What one machine has drawn once, written down."""
    assert numbers_of("score_variance", "2027") == {"d_k": 256}
    assert numbers_of("score_variance", "2028") == {"d_k": 324}
    assert (
        seed_of("2027")
        == 1
        + 1
        + int.from_bytes(__import__("hashlib").sha256(b"mtcourse cohort 2027").digest()[:8], "big")
        % 2**31
    )


@pytest.mark.by_turns(3)
def test_the_draw_does_not_hang_on_the_hashes_of_a_process():
    program = (
        "from mtcourse.checks.banks import bank_of\n"
        "e = {e.id: e for e in bank_of('14_kv_cache')}['cache_memory']\n"
        "print(e.versions.numbers_of('evening-class'))"
    )
    done = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PATH": "", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert done == [str(numbers_of("cache_memory", "evening-class"))] * 2


@pytest.mark.parametrize("name", VARIED)
def test_no_year_has_the_numbers_of_the_year_before_or_the_published_ones(name):
    drawn = [numbers_of(name, year) for year in YEARS]
    assert vars(EXERCISES[name].versions.numbers.published) not in drawn
    assert [one for one in itertools.pairwise(drawn) if one[0] == one[1]] == []
    assert EXERCISES[name].versions.numbers.count() >= 8


@pytest.mark.parametrize("name", VARIED)
@pytest.mark.parametrize("cohort", [YEARS[0], "evening-class"])
def test_with_a_cohorts_numbers_every_mistake_is_told_and_every_right_answer_passes(name, cohort):
    exercise = EXERCISES[name].for_cohort(cohort)
    assert exercise.public_seed != PUBLIC_SEED
    for wrong in exercise.misconceptions:
        verdict = judge(exercise, wrong())
        assert (verdict.passed, verdict.misconception) == (False, wrong.__name__)
        assert (verdict.message, verdict.hint) == message_of(wrong)
    for right in (*exercise.right, exercise.oracle):
        assert judge(exercise, right()).passed, right.__name__


@pytest.mark.parametrize("name", VARIED)
def test_last_years_answer_is_wrong_this_year(name):
    for before, now in itertools.pairwise(["", *YEARS]):
        assert not judge(EXERCISES[name].for_cohort(now), key_of(name, before)).passed


def test_keys_agree_with_a_count_of_their_own():
    """Counted again, on tensors and with exact fractions, from the numbers alone."""
    for cohort in YEARS[:4]:
        n = SimpleNamespace(**numbers_of("tied_parameters", cohort))
        tables = [torch.empty(rows, n.d, device="meta") for rows in (n.V_s, n.V_t, n.V_t)]
        key = key_of("tied_parameters", cohort)
        assert key["three"] == sum(one.numel() for one in tables)
        assert key["two"] == key["three"] - tables[2].numel()
        n = SimpleNamespace(**numbers_of("cache_memory", cohort))
        cache = torch.empty(2, n.L, n.texts * n.beams, n.h, n.T, n.d_k, device="meta")
        key = key_of("cache_memory", cohort)
        assert key["beams"] == cache.nbytes == 2 * key["bfloat16"]
        assert Fraction(key["groups"]) == Fraction(cache[:, :, 0].nbytes) * n.groups / n.h
        assert key["source"] * n.T == key["text"] * n.source
        (d_k,) = numbers_of("score_variance", cohort).values()
        terms = torch.randint(0, 2, (20_000, d_k), generator=torch.Generator().manual_seed(1))
        variance = float((terms.float() * 2 - 1).sum(1).var())
        assert key_of("score_variance", cohort)["product"] == pytest.approx(variance, rel=0.05)


@pytest.mark.parametrize("name", VARIED)
def test_the_published_exercise_keeps_its_texts(name):
    exercise = EXERCISES[name]
    numbers = exercise.versions.numbers
    texts = [exercise.hint, *(one.__doc__ or "" for one in exercise.misconceptions)]
    rewrite = numbers.rewriter(numbers.published)
    assert [rewrite(text) for text in texts] == texts


@pytest.mark.parametrize("name", VARIED)
def test_every_number_in_a_message_is_known_to_vary_or_to_stay(name):
    versions = EXERCISES[name].versions
    told = {
        one.__name__: versions.unknown(one.__doc__ or "") for one in EXERCISES[name].misconceptions
    }
    assert {wrong: numbers for wrong, numbers in told.items() if numbers} == {}


def test_inputs_of_functions_are_a_cohorts_own_and_the_listed_ones_stay():
    published = EXERCISES["causal_mask"], EXERCISES["row_softmax"]
    for one in published:
        own = one.for_cohort("2027")
        pairs = [
            (case.arguments, other.arguments)
            for case, other in zip(one.inputs(), own.inputs(), strict=True)
        ]
        half = len(pairs) // 2
        same = [all(_equal(*both) for both in zip(*pair, strict=True)) for pair in pairs]
        assert all(same[:half])
    assert not all(same[half:])
    assert one.for_cohort("") is one


def _equal(one, other):
    return bool(torch.equal(one, other)) if isinstance(one, torch.Tensor) else one == other


def test_a_notebooks_check_asks_for_a_cohorts_numbers(capsys):
    check = Checker(BANKS["attention"])
    assert check.passes("score_variance", key_of("score_variance", ""))
    assert not check.for_cohort("2027").passes("score_variance", key_of("score_variance", ""))
    check.for_cohort("2027")("score_variance", key_of("score_variance", "2027"))
    assert "All of it is right." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "../2027", "a b", "x" * 41, '2027")', "-"])
def test_the_name_of_a_cohort_is_a_plain_one(name):
    with pytest.raises(MtcourseError, match="no name of a cohort"):
        seed_of(name)


# --- the mechanism, on an exercise made for it ---------------------------------------------------


class Wrong:
    """Mistakes."""

    def doubled(n):
        """You doubled 3, which gives 6.

        Square it.
        """
        return 2 * n.side

    def plus_one(n):
        """You added 1 to 3.

        Square it.
        """
        return n.side + 1


class Right:
    """Right answers."""

    def multiplied(n):
        """3 by 3."""
        return n.side * n.side


def square(sides, texts=("{side}", "{double}")):
    numbers = Numbers({"side": sides}, texts, derived=lambda n: {"double": 2 * n.side})
    return vary(
        numbers,
        id="square",
        oracle=lambda n: n.side**2,
        hint="What is 3 squared?",
        wrong=Wrong,
        right=Right,
    )


def test_numbers_with_which_a_mistake_is_right_are_drawn_again():
    """With 2, doubling is squaring."""
    found = {square((3, 2, 5)).versions.numbers_of(f"class-{i}")["side"] for i in range(20)}
    assert found == {5}


def test_numbers_with_which_two_mistakes_are_one_are_drawn_again():
    """With 1, doubling is adding 1."""
    found = {square((3, 1, 5)).versions.numbers_of(f"class-{i}")["side"] for i in range(20)}
    assert found == {5}


def test_without_any_numbers_that_fit_a_cohort_is_refused():
    with pytest.raises(MtcourseError, match="tell all of its known mistakes apart"):
        square((3, 2, 1)).for_cohort("2027")
    assert find_confusion(square((2,))) == "the mistake doubled gives the right answer, or nearly"
    assert "plus_one is taken for doubled" in find_confusion(square((1,)))


def test_messages_and_hints_have_the_new_numbers():
    exercise = square((3, 5)).for_cohort("2027")
    assert exercise.hint == "What is 5 squared?"
    assert judge(exercise, 10).message == "You doubled 5, which gives 10."
    assert [one.__name__ for one in exercise.misconceptions] == ["doubled", "plus_one"]


def test_what_is_the_same_in_the_published_text_needs_the_words_around_it():
    numbers = Numbers({"rows": (8, 9), "heads": (8, 4)}, ("{rows}", "{heads}"))
    with pytest.raises(MtcourseError, match="write the words around them"):
        numbers.rewriter(numbers.published)
    numbers = Numbers({"rows": (8, 9), "heads": (8, 4)}, ("{rows} rows", "{heads} heads"))
    assert numbers.rewriter(SimpleNamespace(rows=9, heads=4))("8 rows,\n8 heads, 8") == (
        "9 rows,\n4 heads, 8"
    )
    assert numbers.unknown("8 rows, 8 heads, chapter 8, int64, 0.5, A05 and 1") == ["8", "0.5"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1000, 1,000, 1_000, $1{,}000$", "12000, 12,000, 12_000, $12{,}000$"),
        ("x1000 1000.5 1,0001 10000 0.1000 1000a", "x1000 1000.5 1,0001 10000 0.1000 1000a"),
        (
            "(1000), 1000. 1000-fold √1000 $1000^2$ 1000²",
            "(12000), 12000. 12000-fold √12000 $12000^2$ 12000²",
        ),
    ],
)
def test_a_number_is_found_however_it_is_written_and_never_within_another(before, after):
    numbers = Numbers({"T": (1000, 12_000)}, ("{T}",))
    assert numbers.rewriter(SimpleNamespace(T=12_000))(before) == after


def test_all_that_count_says_can_be_drawn():
    numbers = Numbers({"a": (1, 2, 3), "b": (4, 5)}, fit=lambda n: n.a + n.b != 6)
    assert numbers.count() == 2
    drawn = {tuple(vars(numbers.draw("x", str(year))).values()) for year in range(6)}
    assert drawn == {(2, 5), (3, 5)}


def test_the_known_functions_are_those_of_the_bank():
    assert [one.__name__ for one in functions_of(Wrong)] == ["doubled", "plus_one"]
    case = square((3,)).listed()[0]
    outcome = outcome_of(square((3,)).oracle, case)
    assert apart(outcome, outcome_of(lambda: 9, case), 1e-5) == 0
    assert re.fullmatch(r"\d+", str(outcome.value))
