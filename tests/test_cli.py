"""The command line as a person uses it: what it prints, how it ends, what it says of bad input."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from mtcourse import cli
from mtcourse.models.translator import Translator
from mtcourse.recipes import translator as recipe
from mtcourse.text.corpora import load_corpus
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.tokenizer import TokenizerPair
from tests.helpers.oracles import model_of_seed
from tests.helpers.small_corpus import PAIRS


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs ``mtcourse`` with arguments; returns exit status, standard output and error."""

    def run_with(*arguments: str | Path, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mtcourse", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        try:
            cli.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run_with


@pytest.fixture
def tsv(tmp_path) -> Path:
    """A corpus of a few hundred lines."""
    path = tmp_path / "pairs.en-nl.tsv"
    lines = [f"{pair.source}\t{pair.target}\n" for pair in sample_pairs(400, seed=3)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def checkpoint(tmp_path) -> Path:
    tokenizers = TokenizerPair.train(PAIRS, 320)
    size = tokenizers.source.vocabulary_size
    Translator(model_of_seed(2, V_s=size, V_t=size), tokenizers).save(tmp_path / "random")
    return tmp_path / "random"


def test_translate_prints_a_line_for_each_sentence(run, checkpoint):
    status, out, _ = run("translate", "A cat", "", "The dog", "--checkpoint", checkpoint)
    assert status == 0
    assert out.count("\n") == 3
    from_lines = run("translate", "--checkpoint", checkpoint, stdin="A cat\n\nThe dog\n")
    assert from_lines[1] == out
    command = ("translate", "--checkpoint", checkpoint)
    assert run(*command, "-", stdin="A cat\n\nThe dog\n")[1] == out
    assert run(*command, "A cat", "-", stdin="\nThe dog\n")[1] == out


def test_translate_prints_the_n_best_with_scores(run, checkpoint):
    arguments = (
        "translate",
        "A cat",
        "--checkpoint",
        checkpoint,
        "--search",
        "beam:3",
        "--n-best",
        "3",
    )
    _, out, _ = run(*arguments)
    scores = [float(line.split("\t")[0]) for line in out.splitlines()]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def test_train_then_resume_then_evaluate(run, tsv, tmp_path):
    out = tmp_path / "run"
    begin = ("train", "--corpus", tsv, "--out", out, "--vocabulary-size", "500")
    status, printed, err = run(*begin, "--steps", "2")
    assert (status, err.count("Traceback")) == (0, 0)
    assert "best dev loss" in printed
    assert "dev:\nBLEU" in printed, "the test set is left for the end"
    losses = (out / "losses.csv").read_text().splitlines()
    assert len(losses) == 3
    assert json.loads((out / "recipe.json").read_text())["training"]["steps"] == 2
    status, _, err = run(*begin, "--steps", "4")
    assert status == 2
    assert "already holds a run" in err
    status, _, err = run(*begin, "--steps", "4", "--resume")
    assert status == 0, err
    grown = (out / "losses.csv").read_text().splitlines()
    assert len(grown) == 5
    assert grown[:3] == losses
    status, printed, _ = run("evaluate", "--checkpoint", out, "--corpus", tsv)
    assert status == 0
    assert "nrefs" in printed, "the signature belongs to the score"
    assert "95%" in printed


@pytest.mark.parametrize(
    ("family", "line", "said"),
    [("decoder", "De", "bits per byte"), ("encoder", "De <mask> slaapt.", "blanks filled")],
)
def test_the_same_commands_serve_a_text_of_ones_own(run, tmp_path, family, line, said):
    """Train on a text file, stop, go on, score, and let the model write."""
    text, out = tmp_path / "own.txt", tmp_path / "run"
    pairs = sample_pairs(120, seed=3)
    text.write_text("\n".join(pair.target for pair in pairs) + "\n", encoding="utf-8")
    begin = ["train", "--family", family, "--corpus", text, "--out", out]
    status, printed, err = run(*begin, "--steps", "2", "--vocabulary-size", "360")
    assert status == 0, err
    assert said in printed
    assert run(*begin)[0] == 2, "a run is not overwritten"
    status, _, err = run(*begin, "--steps", "4", "--resume")
    assert status == 0, err
    assert len((out / "losses.csv").read_text().splitlines()) == 5
    status, printed, err = run("evaluate", "--checkpoint", out, "--corpus", text)
    assert status == 0, err
    assert said in printed
    status, printed, err = run("sample", line, "--checkpoint", out, "--search", "sample:1")
    assert status == 0, err
    assert printed.startswith("De")
    assert run("sample", line, "--checkpoint", out, "--search", "sample:1")[1] == printed
    for command in (("translate", line), ("page", "--out", tmp_path / "page")):
        status, _, err = run(*command, "--checkpoint", out)
        assert status == 2
        assert f"family {family}" in err
    assert not (tmp_path / "page").exists()


def test_evaluate_takes_every_pair_of_a_file(run, tsv, monkeypatch):
    seen = []
    scored = recipe.evaluate_translator
    monkeypatch.setattr(
        recipe, "evaluate_translator", lambda *args: (seen.append(args[1]), scored(*args))[1]
    )
    status, _, err = run("evaluate", "--corpus", tsv, "--split", "all")
    assert status == 0, err
    corpus = load_corpus(str(tsv))
    assert set(seen[0]) == {pair for pairs in corpus.splits.values() for pair in pairs}
    assert len(seen[0]) == corpus.report.kept


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["translate", "A", "--checkpoint", "nowhere"], "there is no translator in nowhere"),
        (
            ["translate", "A", "--n-best", "9"],
            "9 hypotheses are more than the 4 that the beam keeps",
        ),
        (["translate", "A", "--search", "depth"], "there is no search 'depth': take greedy"),
        (["translate", "A", "--device", "toaster"], "no device 'toaster'"),
        (["train", "--out", "x", "--corpus", "nothing.tsv"], "nothing.tsv"),
        (["train", "--out", "x", "--corpus", "what?"], "what?"),
        (["evaluate", "--corpus", "builtin", "--split", "exam"], "no split 'exam'"),
        (["train", "--out", "x", "--resume"], "no run to resume in x"),
        (["train", "--out", "x", "--family", "cnn"], "no family 'cnn': take translator, decoder"),
        (["train", "--out", "x", "--family", "decoder", "--resume"], "no run to resume in x"),
        (["train", "--out", "x", "--family", "decoder", "--corpus", "no.txt"], "no.txt"),
        (["train", "--out", "x", "--family", "decoder", "--language", "fr"], "no text in 'fr'"),
        (["page", "--out", "x", "--checkpoint", "nowhere"], "there is no translator in nowhere"),
        (["page", "--out", "x", "--corpus", "nothing.tsv"], "nothing.tsv"),
        (["sample", "De hond", "--checkpoint", "nowhere"], "there is no model in nowhere"),
        (["sample", "De hond", "--family", "cnn"], "no family 'cnn'"),
        (["sample", "De hond", "--search", "sample:x"], "'x' is no seed"),
        (["evaluate", "--family", "decoder", "--split", "exam"], "no split 'exam'"),
    ],
)
def test_what_a_user_got_wrong_is_one_line(run, arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*arguments)
    assert status == 2
    assert err.startswith("mtcourse: ")
    assert said in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == [], "nothing is half-written"


def test_the_shipped_translator_translates_the_readmes_sentence(run):
    _, out, _ = run("translate", "Yesterday the old baker did not open the shop.")
    assert out == "Gisteren opende de oude bakker de winkel niet.\n"


def test_new_words_are_named_once_beside_the_translations(run, checkpoint, monkeypatch):
    sentences = "The zebra sees a Gnu.\nThe ZEBRA, the gnu and the emu\n"
    status, out, err = run("translate", "-", stdin=sentences)
    assert status == 0
    assert out.count("\n") == 2
    assert err.strip().endswith("letters: zebra, Gnu, emu")
    assert err.count("\n") == 1
    assert run("translate", "The dog sleeps.")[2] == ""
    monkeypatch.setattr(cli, "NEW_WORDS", 2)
    assert (
        run("translate", "-", stdin=sentences)[2].strip().endswith("letters: zebra, Gnu and 1 more")
    )
    assert run("translate", "A zebra", "--checkpoint", checkpoint)[2] == "", "an older run"


def test_a_trained_run_keeps_what_its_page_needs(run, tsv, tmp_path):
    """A small corpus: the vocabulary that fits is taken, and said."""
    out, page = tmp_path / "run", tmp_path / "page"
    status, _, err = run("train", "--corpus", tsv, "--out", out, "--steps", "1")
    assert status == 0, err
    pieces = Translator.load(out).tokenizers.source.vocabulary_size
    assert pieces < 2000
    assert f"the vocabulary has {pieces:,} pieces, as many as this text yields, not 2,000" in err
    corpus = load_corpus(str(tsv))
    tsv.unlink()
    status, printed, err = run("page", "--checkpoint", out, "--out", page)
    assert status == 0, err
    assert str(page / "index.html") in printed
    assert "MB" in printed
    text = (page / "index.html").read_text(encoding="utf-8")
    assert f"the vocabulary has {pieces:,} pieces, as many as this text yields" in text
    assert f"Measured on {len(corpus.splits['test'])} sentences" in text
    assert "English to Dutch" in text
    assert run("translate", "The zebra", "--checkpoint", out)[2].strip().endswith("zebra")


def test_a_corpus_is_looked_at_before_it_is_trained_on(run, tsv):
    status, printed, err = run("corpus", tsv, "--pairs", "3")
    assert status == 0, err
    assert "3 training pairs, drawn at random:" in printed
    assert "A translation memory, which cannot translate, on the dev set:" in printed
    status, _, err = run("corpus", "nothing.tsv")
    assert status == 2
    assert "names no corpus" in err


def test_sentences_that_are_too_long_are_left_out_and_counted(run, tmp_path):
    lines = [f"{pair.source}\t{pair.target}\n" for pair in sample_pairs(200, seed=3)]
    draw = random.Random(4)
    sides = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz ", k=300)) for _ in range(160)]
    long = [f"{a}\t{b}\n" for a, b in zip(sides[::2], sides[1::2], strict=True)]
    path, out = tmp_path / "pairs.en-nl.tsv", tmp_path / "run"
    path.write_text("".join(lines + long), encoding="utf-8")
    begin = ("train", "--corpus", path, "--out", out, "--steps", "1", "--vocabulary-size", "330")
    status, printed, err = run(*begin)
    assert status == 0, err
    assert "dev:\nBLEU" in printed
    corpus = ("--corpus", path, "--split", "dev")
    status, _, err = run("evaluate", "--checkpoint", out, *corpus)
    assert status == 0, err
    report = tmp_path / "report.md"
    assert run("report", "--checkpoint", out, *corpus, "--out", report)[0] == 0
    said = "more are longer than the model reads" in report.read_text(encoding="utf-8")
    assert said == ("left out of the scores" in err)
    assert said, "none of the long ones was held out: take more of them"


def test_a_report_and_its_answers_become_a_card(run, tsv, tmp_path):
    out, report, page = tmp_path / "run", tmp_path / "report.md", tmp_path / "page"
    assert run("train", "--corpus", tsv, "--out", out, "--steps", "1")[0] == 0
    sheet = tmp_path / "sheet.csv"
    command = ("report", "--checkpoint", out, "--corpus", tsv, "--out", report, "--sheet", sheet)
    assert run(*command)[0] == 0
    assert sheet.read_text(encoding="utf-8-sig").startswith("number,source,translation,mark,note")
    report.write_text(
        report.read_text(encoding="utf-8") + "\nDo what you like.\n", encoding="utf-8"
    )
    status, _, err = run("page", "--checkpoint", out, "--out", page, "--report", report)
    assert status == 0, err
    assert "Do what you like." in (page / "index.html").read_text(encoding="utf-8")
    assert "not answered" in err
    assert "What people found" in err
    assert "What may be done" not in err


def test_importing_the_package_imports_nothing_heavy():
    heavy = {"sacrebleu", "matplotlib", "transformers", "accelerate", "datasets", "sentencepiece"}
    code = f"import sys, mtcourse; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_a_translator_is_loaded_without_what_it_does_not_need():
    heavy = {"sacrebleu", "matplotlib", "transformers", "accelerate", "datasets"}
    code = (
        "import sys; from mtcourse.models.translator import Translator; "
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_torch_is_seeded_by_the_run_and_left_as_it_was(run, tsv, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    run(
        "train",
        "--corpus",
        tsv,
        "--out",
        tmp_path / "run",
        "--steps",
        "1",
        "--vocabulary-size",
        "500",
    )
    assert torch.rand(1) == expected
