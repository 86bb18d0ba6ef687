"""The project of Part III: its template, its sample solution, and the program that measures it."""

from __future__ import annotations

import importlib.util
import inspect
import json
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from mtcourse.decoding.search import greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import load_measured
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.translator import Translator
from mtcourse.project import family_runs
from mtcourse.project.families import (
    COMPARED,
    OWN_MEASURES,
    answers_as_text,
    as_text,
    compared,
    measure_families,
)
from mtcourse.project.family_questions import (
    FEWEST,
    OTHER_SOURCE,
    Answers,
    Question,
    answers_of,
    answers_without_a_model,
    change_of_share,
    check_questions,
)
from mtcourse.project.family_runs import (
    PIECES,
    STARTS,
    UPDATES,
    Budget,
    load_families,
    train_families,
)
from mtcourse.text.corpora import ParallelCorpus, builtin_corpus
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.pairs import SentencePair

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "projects" / "part_3" / "families.py"
SOLUTION = ROOT / "solutions" / "project_part_3"
FUNCTIONS = ("questions", "decoder_scores", "encoder_scores", "translator_scores")
FAMILIES = tuple(OWN_MEASURES)


def loaded(path: Path) -> Any:
    """A file as a module, without running its command line."""
    specification = importlib.util.spec_from_file_location(f"part_3_{path.parent.name}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


sample = loaded(SOLUTION / "families.py")
template = loaded(TEMPLATE)


# --- the template -------------------------------------------------------------------------------


def test_the_template_says_what_is_to_be_written(tmp_path):
    pairs = tmp_path / "my.en-nl.tsv"
    lines = (f"{pair.source}\t{pair.target}\n" for pair in sample_pairs(40, seed=3))
    pairs.write_text("".join(lines), encoding="utf-8")
    command = [sys.executable, TEMPLATE, pairs, "--runs", tmp_path / "runs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "my.en-nl.tsv: kept " in done.stderr
    assert "train " in done.stderr
    assert done.stderr.endswith(
        "families: questions is not written yet: it returns a Question for each sentence you ask "
        "about\n"
    )
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_template_sample_and_page_have_the_functions_that_are_called(name):
    called = [one for one in inspect.signature(getattr(Answers, name)).parameters if one != "self"]
    for module in (template, sample):
        assert [*inspect.signature(getattr(module, name)).parameters] == called
    page = (ROOT / "book" / "project_part_3.md").read_text(encoding="utf-8")
    assert f"def {name}({', '.join(called)}):" in page
    with pytest.raises(NotImplementedError, match=f"^{name} is not written yet"):
        getattr(template, name)(*called)


# --- the sample's scores ------------------------------------------------------------------------

DUTCH = ["De hond slaapt.", "Mijn oude buurman heeft gisteren drie boeken gekocht.", "Wie zingt?"]
ENGLISH = ["The dog sleeps.", "My old neighbour bought three books yesterday.", "Who sings?"]


@pytest.fixture(scope="module")
def shipped() -> dict[str, Any]:
    """The shipped model of each family."""
    return {
        "decoder": LanguageModel.load(device="cpu"),
        "encoder": MaskedLanguageModel.load(device="cpu"),
        "translator": Translator.load(device="cpu"),
    }


def test_the_decoders_score_is_the_models_likelihood(shipped):
    decoder = shipped["decoder"]
    expected = [-decoder.likelihood([one]).nats for one in DUTCH]
    assert sample.decoder_scores(decoder, DUTCH) == pytest.approx(expected, abs=1e-3)


def test_the_translators_score_is_that_of_its_search(shipped):
    translator = shipped["translator"]
    best = [found[0] for found in translator.candidates(ENGLISH, greedy_search)]
    texts = [one.text for one in best]
    tokenizer = translator.tokenizers.target
    pieces = tokenizer.encode_all(texts)
    assert [tokenizer.decode(ids) for ids in pieces] == texts
    scores = sample.translator_scores(translator, ENGLISH, texts)
    assert scores == pytest.approx([one.log_probability for one in best], abs=1e-3)


@torch.inference_mode()
def test_the_encoders_score_hides_each_token_once(shipped):
    encoder = shipped["encoder"]
    for sentence in DUTCH:
        ids, expected = encoder.encode(sentence), 0.0
        for t in range(1, len(ids)):
            one = torch.tensor([[*ids[:t], encoder.vocabulary.mask, *ids[t + 1 :]]])
            expected += float(encoder.model(one)[0, t].log_softmax(-1)[ids[t]])
        assert sample.encoder_scores(encoder, [sentence]) == pytest.approx([expected], abs=1e-3)


def test_a_term_of_the_encoders_score_is_what_the_model_says_of_a_blank(shipped):
    """As the page advises: the sum over a sentence of three pieces, each hidden by the model."""
    encoder = shipped["encoder"]
    pieces = [encoder.tokenizer.pieces([one])[0] for one in encoder.encode("De hond slaapt.")[1:]]
    whole = [piece.removeprefix("▁") for piece in pieces]
    assert whole == ["De", "hond", "slaapt", "."]
    expected = 0.0
    for blank in range(len(pieces)):
        shown = [
            " <mask>" if i == blank and p[0] == "▁" else ("<mask>" if i == blank else p)
            for i, p in enumerate(pieces)
        ]
        sentence = "".join(shown).replace("▁", " ").strip()
        read, p = encoder.probabilities(sentence)
        assert read.index("<mask>") == blank + 1
        expected += float(p[blank + 1, encoder.encode("De hond slaapt.")[blank + 1]].log())
    (score,) = sample.encoder_scores(encoder, ["De hond slaapt."])
    assert score == pytest.approx(expected, abs=0.05)  # the model's own proposals are no specials


@pytest.mark.parametrize("family", FAMILIES)
def test_a_score_does_not_depend_on_the_sentences_beside_it(shipped, family):
    score = getattr(sample, f"{family}_scores")
    given = (ENGLISH, DUTCH) if family == "translator" else (DUTCH,)
    together = score(shipped[family], *given)
    alone = [score(shipped[family], *([one] for one in row))[0] for row in zip(*given, strict=True)]
    assert together == pytest.approx(alone, abs=1e-3)
    assert len(set(together)) == len(DUTCH)


def test_a_right_source_gives_a_higher_score(shipped):
    translator = shipped["translator"]
    right = sample.translator_scores(translator, ENGLISH[:1], DUTCH[:1])
    wrong = sample.translator_scores(translator, ENGLISH[1:2], DUTCH[:1])
    assert right[0] > wrong[0] + 5


# --- the sample's questions ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus() -> ParallelCorpus:
    """The built-in corpus, with all its pairs."""
    return builtin_corpus()


@pytest.fixture(scope="module")
def asked(corpus: ParallelCorpus) -> list[Question]:
    """What the stored results were asked."""
    return sample.questions(corpus.splits["train"], corpus.splits["test"], 1)


def test_the_samples_questions_are_admitted(corpus, asked):
    check_questions(asked, corpus.splits["train"], corpus.splits["test"])
    kinds = [question.kind for question in asked]
    assert {kind: kinds.count(kind) for kind in kinds} == load_measured("project_part_3")[
        "questions"
    ]


def test_each_kind_changes_what_it_says(corpus, asked):
    seen = set()
    for pair in corpus.splits["train"]:
        words = pair.target.split()
        seen |= set(zip(words, words[1:], words[2:], strict=False))
    for kind, _, right, wrong in asked:
        before, behind = right.split(), wrong.split()
        places = [i for i, (a, b) in enumerate(zip(before, behind, strict=True)) if a != b]
        assert 0 < places[0] <= places[-1] < len(before) - 1
        if kind == "order":
            assert places[1] == places[0] + 1
            assert sorted(before) == sorted(behind)
        else:
            (i,) = places
            assert kind == "any word" or (behind[i - 1], behind[i], behind[i + 1]) in seen


def test_the_seed_decides_the_questions(corpus, asked):
    train, test = corpus.splits["train"], corpus.splits["test"]
    assert sample.questions(train, test, 1) == asked
    assert len(set(sample.questions(train, test, 2)) & set(asked)) < len(asked) / 2


def test_the_pages_examples_are_questions_of_the_sample(asked):
    page = (ROOT / "book" / "project_part_3.md").read_text(encoding="utf-8")
    shown = dict.fromkeys(("any word", "fitting word", "order"), 0)
    for kind, _, right, wrong in asked:
        shown[kind] += f'"{right}", "{wrong}"]' in page and f'["{kind}", ' in page
    assert set(shown.values()) == {1}


# --- questions that are refused -----------------------------------------------------------------

TRAIN = [SentencePair("t", "Known sentence.")]
TEST = [SentencePair(f"s{i}", f"Right {i}.", (f"Also {i}.",)) for i in range(FEWEST)]
GOOD = [Question("kind", pair.source, pair.target, f"Wrong {i}.") for i, pair in enumerate(TEST)]


def test_good_questions_are_admitted():
    check_questions(GOOD, TRAIN, TEST)


@pytest.mark.parametrize(
    ("questions", "fault"),
    [
        ([], "questions returned none, from the 100 sentences"),
        (GOOD[1:], "99 of 'kind', from the 100 sentences"),
        ([*GOOD, GOOD[0]._replace(kind="other")], "1 of 'other'"),
        ([*GOOD, GOOD[0]._replace(right="Right 1.")], "question 101: 'Right 1.' is not the target"),
        ([*GOOD, GOOD[0]._replace(wrong="Right 0.")], "both sentences are"),
        ([*GOOD, GOOD[3]._replace(wrong="Also 3.")], "is a correct translation as well"),
        ([*GOOD, GOOD[3]._replace(wrong="Known sentence.")], "stands in the training split"),
    ],
)
def test_a_question_that_cannot_be_meant_is_refused(questions, fault):
    with pytest.raises(MtcourseError, match=fault):
        check_questions(questions, TRAIN, TEST)


# --- answers and their comparison ---------------------------------------------------------------


def scripted(**other: Any) -> Any:
    """Functions whose scores follow from the text alone: a "model" is a table."""

    def look_up(model: dict[str, float], sentences: Sequence[str]) -> list[float]:
        return [model[one] for one in sentences]

    def translated(model: dict[str, float], sources: Sequence[str], sentences: Sequence[str]):
        return [model[a + b] for a, b in zip(sources, sentences, strict=True)]

    return SimpleNamespace(
        **{"decoder_scores": look_up, "encoder_scores": look_up, "translator_scores": translated}
        | other
    )


TWO = [Question("k", "x", "a", "b"), Question("k", "y", "c", "d")]
MODELS: Any = {
    "decoder": {"a": -1, "b": -2, "c": -4, "d": -3},
    "encoder": {"a": -1, "b": -1, "c": -2, "d": -3},
    "translator": {"xa": 0, "xb": -1, "yc": 0, "yd": -1, "ya": -5, "yb": -1, "xc": 2, "xd": 1},
}


def test_an_answer_is_the_sentence_with_the_higher_score():
    assert answers_of(scripted(), MODELS, TWO) == {
        "decoder": [1, 0],
        "encoder": [0.5, 1],
        "translator": [1, 1],
        OTHER_SOURCE: [0, 1],
    }


@pytest.mark.parametrize(
    ("scores", "fault"),
    [([1.0, 2.0, 3.0], "encoder: 3 scores for 4 sentences"), ([0, math.nan, 0, 0], "not a finite")],
)
def test_scores_that_cannot_be_compared_are_refused(scores, fault):
    with pytest.raises(MtcourseError, match=fault):
        answers_of(scripted(encoder_scores=lambda *_: scores), MODELS, TWO)


def test_the_answers_can_be_read_question_by_question():
    asked = [TWO[0], TWO[1]._replace(source="a tab\tand a\nline")]
    answers = {"decoder": [1.0, 0.0], "encoder": [0.5, 1.0]}
    assert answers_as_text(asked, answers).splitlines() == [
        "kind\tsource\tright\twrong\tdecoder\tencoder",
        "k\tx\ta\tb\tright\ttie",
        "k\ta tab and a line\tc\td\twrong\tright",
    ]


def test_the_rules_without_a_model_count_letters_and_words():
    train = [SentencePair("", "a a a b"), SentencePair("", "a c")]
    questions = [
        Question("k", "", "a c", "b c"),
        Question("k", "", "b c", "a c"),
        Question("k", "", "long b", "b"),
    ]
    assert answers_without_a_model(train, questions) == {
        "shorter sentence": [0.5, 0.5, 0],
        "frequent words": [1, 0, 0],
    }


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_interval_of_a_change_is_the_normal_one_where_there_are_many_questions(seed):
    generator = random.Random(seed)
    first = [float(generator.random() < 0.6) for _ in range(900)]
    second = [float(one or generator.random() < 0.3) for one in first]
    gains = 100 * (np.array(second) - np.array(first))
    half = 1.96 * gains.std() / math.sqrt(len(gains))
    change = change_of_share(first, second)
    assert change.value == pytest.approx(gains.mean())
    assert change.interval == pytest.approx((gains.mean() - half, gains.mean() + half), abs=0.3)


def test_questions_that_both_answer_alike_make_no_interval_wider():
    """The comparison is paired: a difference that every question shows has no spread."""
    first = [0.0, 1.0] * 100
    assert change_of_share(first, first).interval == (0, 0)
    assert change_of_share([0.0] * 50, [1.0] * 50).interval == (100, 100)
    with pytest.raises(MtcourseError, match="3 and 2 answers"):
        change_of_share([1.0, 0.0, 1.0], [1.0, 0.0])


def test_each_kind_is_counted_apart():
    questions = [TWO[0], TWO[1]._replace(kind="l"), TWO[0]]
    answers = [{name: [1.0, 0.0, 0.5] for name in (*FAMILIES, OTHER_SOURCE)} for _ in range(2)]
    answers[1] = answers[1] | {"encoder": [0.0, 1.0, 0.0]}
    found = compared(questions, answers, {"rule": [1.0, 0.5, 0.0]})
    assert found["right"]["k"]["encoder"] == [75, 0]
    assert found["right"]["l"]["encoder"] == [0, 100]
    assert found["without a model"] == {"k": {"rule": 50}, "l": {"rule": 50}}
    first = found["change"]["k"][0]
    assert (first["from"], first["to"]) == COMPARED[0]
    assert [one["points"] for one in first["starts"]] == [0, -75]


# --- training -----------------------------------------------------------------------------------

SMALL = Budget(updates=5, pieces=420)


@pytest.fixture(scope="module")
def few() -> ParallelCorpus:
    """A corpus with just enough pairs to ask about."""
    pairs = list(dict.fromkeys(sample_pairs(2000, seed=8)))
    splits = {"test": pairs[:200], "dev": pairs[200:230], "train": pairs[230:]}
    return ParallelCorpus("few", "en", "nl", "MIT", {k: tuple(v) for k, v in splits.items()})


@pytest.fixture(scope="module")
def runs(few: ParallelCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One short run of each family."""
    folder = tmp_path_factory.mktemp("runs")
    said: list[str] = []
    seconds = train_families(few, folder, 1, SMALL, said.append)
    assert sorted(said) == [f"{family}, seed 0: 5 updates" for family in FAMILIES]
    assert all(len(of_one) == 1 and of_one[0] > 0 for of_one in seconds.values())
    return folder


def test_every_family_makes_the_same_number_of_updates(runs):
    for family in FAMILIES:
        losses = (runs / f"{family}-0" / "losses.csv").read_text(encoding="utf-8").splitlines()
        assert int(losses[-1].split(",")[0]) == SMALL.updates
        recipe = json.loads((runs / f"{family}-0" / "recipe.json").read_text(encoding="utf-8"))
        assert recipe["tokens_per_batch"] == 2048
        assert recipe["training"]["seed"] == 0


def test_a_finished_run_is_not_repeated(few, runs):
    before = {path: path.stat().st_mtime_ns for path in runs.rglob("*") if path.is_file()}
    again = train_families(few, runs, 1, SMALL, pytest.fail)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert set(again) == set(FAMILIES)


def test_decoder_and_encoder_learn_from_the_target_side(few, monkeypatch, tmp_path):
    texts = []

    def no_training(family: Any, text: Any, *_: Any, **__: Any) -> Any:
        texts.append((family.name, text.splits["train"]))
        raise MtcourseError("enough")

    monkeypatch.setattr(family_runs, "train_text_model", no_training)
    for family in ("decoder", "encoder"):
        with pytest.raises(MtcourseError, match="enough"):
            family_runs._train(family, few, tmp_path, SMALL, 0)
    targets = tuple(dict.fromkeys(pair.target for pair in few.splits["train"]))
    assert texts == [("decoder", targets), ("encoder", targets)]


@pytest.mark.parametrize(
    ("name", "budget", "fault"),
    [
        ("few", Budget(6, 420), "holds a run with updates 5, not 6"),
        ("few", Budget(5, 421), "holds a run with pieces 420, not 421"),
        ("other", SMALL, "holds a run with corpus 'few', not 'other'"),
    ],
)
def test_runs_of_another_kind_are_refused(few, runs, name, budget, fault):
    other = ParallelCorpus(name, "en", "nl", "MIT", few.splits)
    with pytest.raises(MtcourseError, match=fault):
        train_families(other, runs, 1, budget, pytest.fail)


def test_runs_that_are_missing_or_unfinished_are_named(few, runs, tmp_path):
    with pytest.raises(MtcourseError, match="no finished run in .*translator-1"):
        load_families(few, runs, 1)
    (tmp_path / "translator-0" / "last").mkdir(parents=True)
    with pytest.raises(MtcourseError, match="translator-0 holds an unfinished run"):
        train_families(few, tmp_path, 1, SMALL, str)


@pytest.mark.by_turns(3)
def test_the_sample_is_measured_from_end_to_end(few, runs, monkeypatch, tmp_path):
    monkeypatch.setattr(sample, "EACH", FEWEST)
    measure = partial(measure_families, sample, few, runs, 1, SMALL)
    results = measure(answers_to=tmp_path / "answers.tsv")
    assert json.loads(json.dumps(results)) == results
    assert results["questions"] == {"any word": 100, "fitting word": 100, "order": 100}
    assert "100 of 'order'" in as_text(results)
    for of_kind in results["right"].values():
        assert tuple(of_kind) == (*FAMILIES, OTHER_SOURCE)
    answered = (tmp_path / "answers.tsv").read_text(encoding="utf-8").splitlines()
    heads, *rows = [line.split("\t") for line in answered]
    for kind, of_kind in results["right"].items():
        for name, (share,) in of_kind.items():
            said = [row[heads.index(name)] for row in rows if row[0] == kind]
            assert share == said.count("right") + said.count("tie") / 2
    with pytest.raises(MtcourseError, match="dev or test, not on 'train'"):
        measure(split="train")


# --- what is stored -----------------------------------------------------------------------------


def test_the_stored_results_are_those_of_the_budget():
    stored = load_measured("project_part_3")
    assert (stored["updates"], stored["pieces"]) == (UPDATES, PIECES)
    assert set(stored["CPU-minutes"]) == set(FAMILIES)
    for of_kind in stored["right"].values():
        assert all(len(shares) == STARTS for shares in of_kind.values())


def table_rows(text: str) -> list[list[str]]:
    """The rows of all tables in a Markdown text, cell by cell."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_samples_report_has_the_tables_that_the_program_prints():
    printed = table_rows(as_text(load_measured("project_part_3")))
    report = table_rows((SOLUTION / "report.md").read_text(encoding="utf-8"))
    assert len(printed) > 20
    assert [row for row in printed if row not in report] == []


def test_the_reports_template_has_places_for_these_tables():
    stored = load_measured("project_part_3")
    printed, kinds = table_rows(as_text(stored)), stored["questions"]
    report = table_rows((TEMPLATE.parent / "report.md").read_text(encoding="utf-8"))
    assert {row[0] for row in printed if row[0] not in kinds} <= {row[0] for row in report}
    pairs = {f"{first} to {second}" for first, second in COMPARED}
    assert pairs <= {row[1] for row in report}
