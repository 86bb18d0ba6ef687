"""The figures are sacrebleu's own, whichever way it is asked."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import Scores, score

WORDS = "de oude bakker opende gisteren een winkel, omdat zij brood voor haar zus had"


def noisy_system(count: int, seed: int) -> tuple[list[str], list[tuple[str]]]:
    """References, and translations that replace some of their words."""
    generator = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(count):
        words = generator.choices(WORDS.split(), k=generator.randint(4, 12))
        references.append((" ".join(words) + ".",))
        noisy = [w if generator.random() < 0.8 else generator.choice(WORDS.split()) for w in words]
        hypotheses.append(" ".join(noisy) + ".")
    return hypotheses, references


HYPOTHESES, REFERENCES = noisy_system(80, seed=1)
SCORES = score(HYPOTHESES, REFERENCES)


def test_values_intervals_and_signatures_are_those_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "hypotheses").write_text("\n".join(HYPOTHESES) + "\n", encoding="utf-8")
    lines = "\n".join(correct for (correct,) in REFERENCES) + "\n"
    (tmp_path / "references").write_text(lines, encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "hypotheses"]
    options = ["-m", "bleu", "chrf", "--confidence", "-w", "8", "-f", "json"]
    run = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, check=True)
    bleu, chrf = json.loads(run.stdout)
    for printed, value, interval, signature in (
        (bleu, SCORES.bleu, SCORES.bleu_interval, SCORES.bleu_signature),
        (chrf, SCORES.chrf, SCORES.chrf_interval, SCORES.chrf_signature),
    ):
        mean, half = printed["confidence_mean"], printed["confidence_var"]
        assert value == pytest.approx(printed["score"], abs=1e-6)
        assert interval == pytest.approx((mean - half, mean + half), abs=1e-4)  # it has float32
        assert set(signature.split("|")) == set(printed["signature"].split("|"))


def test_the_interval_holds_the_value_and_narrows_with_more_sentences() -> None:
    more = score(*noisy_system(640, seed=1))
    for scores in (SCORES, more):
        low, high = scores.bleu_interval
        assert low < scores.bleu < high
    width = SCORES.bleu_interval[1] - SCORES.bleu_interval[0]
    assert more.bleu_interval[1] - more.bleu_interval[0] < width / 2


def test_the_same_sentences_give_the_same_figures() -> None:
    random.seed(99)
    assert score(HYPOTHESES, REFERENCES) == SCORES


def test_sentences_may_have_different_numbers_of_references() -> None:
    """BLEU adds up each sentence's best counts, found here sentence by sentence."""
    hypotheses = [
        "de kat zat op de mat",
        "zij heeft het boek gekocht",
        "een heel mooi huis staat er",
    ]
    references = [
        ("de kat zit op de mat",),
        ("zij heeft een boek gekocht", "zij kocht het", "omdat zij heeft het boek gekocht"),
        ("er staat een mooi huis", "een heel mooi huis"),
    ]
    scores = score(hypotheses, references)
    single = [
        sacrebleu.sentence_bleu(h, list(r), smooth_method="none", use_effective_order=False)
        for h, r in zip(hypotheses, references, strict=True)
    ]
    expected = sacrebleu.metrics.BLEU.compute_bleu(
        correct=[sum(s.counts[n] for s in single) for n in range(4)],
        total=[sum(s.totals[n] for s in single) for n in range(4)],
        sys_len=sum(s.sys_len for s in single),
        ref_len=sum(s.ref_len for s in single),
        smooth_method="exp",
    )
    assert scores.bleu == pytest.approx(expected.score)
    assert "nrefs:var" in scores.bleu_signature
    assert scores.bleu > score(hypotheses, [correct[:1] for correct in references]).bleu


def test_perfect_translations_score_100_whichever_reference_they_are() -> None:
    references = [("de kat zit op de mat", "op de mat zit de kat"), ("zij kocht het oude boek",)]
    scores = score(["op de mat zit de kat", "zij kocht het oude boek"], references)
    assert scores.bleu == pytest.approx(100)
    assert scores.chrf == pytest.approx(100)
    assert scores.bleu_interval == pytest.approx((100, 100))
    assert scores.exact == 1


def test_exact_counts_whole_sentences() -> None:
    scores = score(["a b", "a b.", "c", ""], [("a b",), ("a b",), ("d", "c"), ("e",)])
    assert scores.exact == 0.5
    assert scores.sentences == 4


def test_intervals_stay_on_the_scale() -> None:
    """One bad translation among good ones: the resamples' mean plus half their width passes 100."""
    hypotheses = ["de kat zit op de mat"] * 40 + ["nee"]
    scores = score(hypotheses, [("de kat zit op de mat",)] * 40 + [("een heel ander verhaal",)])
    for low, high in (scores.bleu_interval, scores.chrf_interval):
        assert 0 <= low < high <= 100
    nothing = score(["x"], [("y",)])
    assert nothing.bleu == nothing.chrf == 0
    assert nothing.bleu_interval == (0, 0)


def test_a_weak_system_has_an_interval_too() -> None:
    """Some resamples have matches and some have none."""
    scores = score(["a b c d", "x", "y", "z"], [("a b c d",), ("e",), ("f",), ("g",)])
    low, high = scores.bleu_interval
    assert 0 <= low < scores.bleu < high <= 100


def test_the_report_quotes_values_with_their_signatures() -> None:
    scores = Scores(
        94.14, (93.2, 95.0), "nrefs:1|tok:13a", 97.96, (97.0, 98.5), "nc:6", 0.864, 1000
    )
    assert str(scores).splitlines() == [
        "BLEU   94.1  (95%: 93.2 to 95.0)  nrefs:1|tok:13a",
        "chrF2  98.0  (95%: 97.0 to 98.5)  nc:6",
        "exact  86.4% of 1000 sentences",
    ]


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ([], [], "no translations"),
        (["a", "b"], [("a",)], "2 translations cannot be scored against 1 references"),
        (["a", "b"], [("a",), ()], "sentence 2 has no reference"),
        (["a", "b"], ["a", "b"], "sentence 1 are one string"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    hypotheses: list[str], references: list, message: str
) -> None:
    with pytest.raises(MtcourseError, match=message):
        score(hypotheses, references)


def test_sacrebleu_is_imported_only_when_something_is_scored() -> None:
    code = "import sys, mtcourse.evaluation.scores; assert 'sacrebleu' not in sys.modules"
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)
