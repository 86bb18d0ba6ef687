"""The project of Part II: its template, its sample solution, and the command that measures both."""

from __future__ import annotations

import copy
import dataclasses
import io
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from mtcourse import cli
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import load_measured
from mtcourse.layers.masks import padding_mask
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.project.measure import (
    BAR,
    MINUTES,
    compare_translations,
    cpu_seconds,
    describe_change,
    measure_project,
    read_translations,
    write_translations,
)
from mtcourse.project.source import FUNCTIONS, check_source, load_project
from mtcourse.text.batches import Batch, encode_pairs
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS, PAD, TokenizerPair
from tests.helpers.small_corpus import PAIRS

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "projects" / "part_2" / "translator.py"
SOLUTION = ROOT / "solutions" / "project_part_2"
sample = load_project(SOLUTION / "translator.py")

SMALL = sample.Settings(V=300, d_model=32, h=4, d_ff=64, layers=2, longest=64)


def small_model(seed: int, **other: int) -> nn.Module:
    """The sample's model with few weights, none of them at its simple beginning."""
    torch.manual_seed(seed)
    model = sample.Transformer(dataclasses.replace(SMALL, **other))
    for weight in model.parameters():
        if weight.ndim == 1:
            nn.init.normal_(weight, mean=0.5)
    return model.eval()


# --- the template -------------------------------------------------------------------------------


def test_the_template_says_what_is_to_be_written():
    with pytest.raises(MtcourseError, match=r"translator\.py: train is not written yet: it learns"):
        measure_project(TEMPLATE, PAIRS, PAIRS, seconds=5)


def test_the_template_that_trains_says_that_it_cannot_translate(tmp_path):
    text = TEMPLATE.read_text(encoding="utf-8")
    trains = text.replace("raise NotImplementedError", "return str", 1)
    assert trains != text
    (tmp_path / "half.py").write_text(trains, encoding="utf-8")
    with pytest.raises(MtcourseError, match="translate is not written yet"):
        measure_project(tmp_path / "half.py", PAIRS, PAIRS, seconds=5)


@pytest.mark.parametrize("text", [TEMPLATE, ROOT / "book" / "project_part_2.md"])
def test_template_and_page_have_the_functions_that_are_called(text):
    written = text.read_text(encoding="utf-8")
    for form in FUNCTIONS.values():
        name, _, arguments = form.rstrip(")").partition("(")
        for argument in arguments.split(", "):
            assert name in written
            assert argument in written


# --- the sample's model -------------------------------------------------------------------------


def test_the_positions_are_the_books():
    torch.testing.assert_close(
        sample.positions(40, 32), sinusoidal_positions(40, 32), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("h", [1, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_model_computes_what_the_packages_model_computes(seed, h):
    model = small_model(seed, h=h)
    config = EncoderDecoderConfig(300, 300, 32, h, 64, 2, 2, dropout=0.0, norm="pre", max_length=64)
    package = EncoderDecoder(config).eval()
    package.load_state_dict(as_the_package_names_them(model))
    torch.manual_seed(seed)
    source = torch.randint(4, 300, (3, 9))
    source[1, 5:] = PAD
    decoder_input = torch.randint(4, 300, (3, 7))
    expected = package(source, decoder_input, padding_mask(source))
    assert expected.std() > 0.1
    torch.testing.assert_close(model(source, decoder_input), expected, atol=1e-4, rtol=1e-4)


def as_the_package_names_them(model: nn.Module) -> dict[str, Tensor]:
    """The sample's weights under the names of ``EncoderDecoder``, which stacks Q, K and V."""
    mine = dict(model.state_dict())
    table = mine.pop("table.weight")
    named = {
        f"{side}.W_E" if side != "output_weight" else side: table
        for side in ("source_embedding", "target_embedding", "output_weight")
    }
    for name, value in mine.items():
        block, _, part = name.rpartition(".W_")
        attends = block.endswith("attention")
        if attends and part[0] in "QKV":
            continue
        new = name.replace(".attention.", ".self_attention.").replace(".network.", ".feed_forward.")
        new = new.replace("around_attention.", "around_self_attention.")
        new = new.replace("around_network.", "around_feed_forward.").replace(
            ".norm.", ".layer_norm."
        )
        named[new] = value
    for name in mine:
        if name.endswith(".W_Q.weight"):
            block = name.removesuffix(".W_Q.weight")
            crosses = block.endswith("cross_attention")
            new = block if crosses else block.replace(".attention", ".self_attention")
            for kind in ("weight", "bias"):
                Q, K, V = (mine[f"{block}.W_{letter}.{kind}"] for letter in "QKV")
                if crosses:
                    named[f"{new}.W_Q.{kind}"] = Q
                    named[f"{new}.W_KV.{kind}"] = torch.cat([K, V])
                else:
                    named[f"{new}.W_QKV.{kind}"] = torch.cat([Q, K, V])
    return named


@pytest.mark.parametrize("i", range(6))
def test_a_position_of_the_decoder_reads_nothing_behind_it(i):
    model = small_model(3)
    source = torch.tensor([[10, 11, 12, 13]])
    decoder_input = torch.tensor(
        [[20, 21, 22, 23, 24, 25]]
    )  # no id twice: each row is one position
    H_D = model.decode(decoder_input, model.encode(source), source)
    (gradient,) = torch.autograd.grad(H_D[0, i].square().sum(), model.table.weight)
    reached = gradient[20:26].abs().amax(dim=1) > 0
    assert reached.tolist() == [j <= i for j in range(6)]
    assert (gradient[10:14].abs().amax(dim=1) > 0).all(), "each position reads the whole source"


def test_padding_of_the_source_changes_nothing():
    model = small_model(4)
    source, decoder_input = torch.tensor([[10, 11, 12]]), torch.tensor([[BOS, 20, 21]])
    padded = torch.tensor([[10, 11, 12, PAD, PAD]])
    torch.testing.assert_close(model(padded, decoder_input), model(source, decoder_input))


# --- the sample's training ----------------------------------------------------------------------


def examples_of(pairs: list[SentencePair]) -> tuple[TokenizerPair, Batch]:
    """Tokenizers, and all pairs in one batch."""
    tokenizers = TokenizerPair.train(pairs, SMALL.V + 20)
    examples, _ = encode_pairs(pairs, tokenizers, SMALL.longest)
    return tokenizers, Batch.of(examples)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_loss_falls_within_a_few_updates(seed):
    tokenizers, batch = examples_of(sample_pairs(50, seed=5))
    model = small_model(seed, V=tokenizers.target.vocabulary_size)
    adam = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = [sample.update(model, adam, batch, 0.1) for _ in range(12)]
    assert losses[-1] < losses[0] - 0.5


@pytest.fixture(scope="module")
def by_heart():
    """The sample after many updates on a handful of pairs."""
    tokenizers, batch = examples_of(list(PAIRS))
    torch.manual_seed(0)
    model = sample.Transformer(
        dataclasses.replace(SMALL, V=tokenizers.target.vocabulary_size, d_model=64)
    )
    adam = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(150):
        sample.update(model, adam, batch, 0.0)
    return sample.Translator(model, tokenizers.target)


@pytest.mark.trains
def test_the_sample_learns_a_handful_of_pairs_by_heart(by_heart):
    """Greedy search then writes them: encoder, decoder, shift, loss and search fit together."""
    sources = [pair.source for pair in PAIRS]
    assert sample.translate(by_heart, sources) == [pair.target for pair in PAIRS]


@pytest.mark.trains
@pytest.mark.parametrize("ends", [True, False])
def test_a_translation_does_not_depend_on_its_batch(by_heart, ends):
    """Nor does one that never ends, since <eos> always scores 0."""
    model = copy.deepcopy(by_heart.model)
    if not ends:
        with torch.no_grad():
            model.table.weight[EOS] = 0
    trained = sample.Translator(model, by_heart.tokenizer)
    sources = ["", *(pair.source for pair in PAIRS), "The old dog sleeps. " * 40]
    together = sample.translate(trained, sources)
    assert together == [sample.translate(trained, [source])[0] for source in sources]
    assert len(set(together)) > len(PAIRS) / 2


def test_the_rate_rises_and_falls_with_the_budget():
    rates = [sample.schedule(progress, 0.1) for progress in (0.0, 0.05, 0.1, 0.55, 1.0)]
    assert rates == pytest.approx([0, 0.5, 1, 0.5, 0])


@pytest.mark.trains
def test_the_sample_keeps_to_its_budget():
    pairs = sample_pairs(1200, seed=6)
    measured = measure_project(SOLUTION / "translator.py", pairs, pairs[:20], seconds=2, seed=1)
    assert len(measured.translations) == measured.scores.sentences == 20
    assert "of 0.0333333 CPU-minutes" in str(measured)


def test_the_ablation_is_the_sample_with_one_head(monkeypatch):
    ablation = load_project(SOLUTION / "ablation.py")
    seen = []
    monkeypatch.setattr(
        ablation.translator, "train", lambda *arguments: seen.append(arguments) or "trained"
    )
    assert ablation.train(PAIRS, 5.0, 2) == "trained"
    (arguments,) = seen
    assert arguments[:3] == (PAIRS, 5.0, 2)
    changed = dataclasses.asdict(arguments[3]).items() - dataclasses.asdict(sample.SETTINGS).items()
    assert changed == {("h", 1)}


def test_the_sample_reaches_the_bar_in_every_start_that_is_stored():
    stored = load_measured("project")
    assert stored["minutes"] <= MINUTES
    assert len(stored["change"]) <= len(stored["sample"]) <= 3
    assert stored["sample"]
    for run in stored["sample"]:
        assert run["bleu"] >= BAR
        assert run["training CPU-minutes"] <= MINUTES


def test_the_samples_report_quotes_what_is_stored():
    stored = load_measured("project")
    report = (SOLUTION / "report.md").read_text(encoding="utf-8")
    for seed, run in enumerate(stored["sample"]):
        low, high = run["interval"]
        quoted = f"| {run['bleu']:.1f} ({low:.1f} to {high:.1f}) |"
        assert any(
            quoted in line for line in report.splitlines() if line.startswith(f"| seed {seed}")
        )
    for seed, change in enumerate(stored["change"]):
        low, high = change["interval"]
        quoted = f"| {change['bleu']:+.1f} ({low:+.1f} to {high:+.1f}) |"
        assert any(
            quoted in line for line in report.splitlines() if line.startswith(f"| seed {seed}")
        )


# --- what a file may not do ---------------------------------------------------------------------

GOOD = """
def train(pairs, seconds, seed):
    return {pair.source: pair.target for pair in pairs}

def translate(trained, sentences):
    return [trained[sentence] for sentence in sentences]
"""


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_trained_on_the_pairs_and_scored_on_sources(tmp_path):
    measured = measure_project(written(tmp_path, GOOD), PAIRS, PAIRS[:5])
    assert measured.translations == [pair.target for pair in PAIRS[:5]]
    assert measured.scores.exact == 1


def test_a_file_gets_its_budget_and_its_seed(tmp_path):
    text = GOOD.replace("return {", "assert (seconds, seed) == (30, 7); return {")
    measure_project(written(tmp_path, text), PAIRS, PAIRS[:2], seconds=30, seed=7)
    with pytest.raises(AssertionError):  # an error of the file's own keeps its traceback
        measure_project(written(tmp_path, text), PAIRS, PAIRS[:2], seconds=30, seed=8)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from mtcourse.layers.attention import fused_attention", r"line 1: mtcourse\.layers"),
        ("import mtcourse.models.translator", "mtcourse.models.translator is not allowed"),
        ("import mtcourse", r"it may use .*mtcourse\.text"),
        ("from mtcourse import training", "mtcourse.training is not allowed"),
        ("import transformers", "transformers is not allowed in the project: it may use torch"),
        ("from torch.nn import TransformerEncoderLayer", "write TransformerEncoderLayer yourself"),
        ("import torch\nx = torch.nn.MultiheadAttention", "line 2: .* MultiheadAttention"),
        ("from torch import nn as n\nx = n.Transformer", "line 2: .* write Transformer yourself"),
        ("import torch.nn.functional as F\nF.multi_head_attention_forward", "line 2"),
        ("def f(:", "line 1: invalid syntax"),
        ("x = '\0'", "mine.py"),
    ],
)
def test_what_a_file_may_not_use_is_said_with_its_line(tmp_path, line, said):
    with pytest.raises(MtcourseError, match=said):
        check_source(written(tmp_path, line + "\n" + GOOD))


def test_a_file_beside_it_is_read_too(tmp_path):
    written(tmp_path, "import transformers", "parts.py")
    with pytest.raises(MtcourseError, match=r"parts\.py, line 1: transformers"):
        load_project(written(tmp_path, "import parts\n" + GOOD))


@pytest.mark.parametrize(
    "line",
    [
        "import math, torch, numpy\nfrom torch import nn\nx = nn.Linear, nn.LayerNorm",
        "from mtcourse.text.batches import pad\nfrom mtcourse.evaluation import scores",
        "class Transformer: ...\nx = Transformer",
        "import parts\nx = parts.Transformer",
    ],
)
def test_what_a_file_may_use_is_let_through(tmp_path, line):
    written(tmp_path, "class Transformer: ...", "parts.py")
    project = load_project(written(tmp_path, line + "\n" + GOOD))
    assert measure_project(written(tmp_path, line + "\n" + GOOD), PAIRS, PAIRS).scores.exact == 1
    assert callable(project.train)


def test_files_of_the_same_name_are_not_taken_for_each_other(tmp_path):
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        written(tmp_path / str(number), f"number = {number}", "parts.py")
        path = written(tmp_path / str(number), "import parts\n" + GOOD)
        project = load_project(path)
        assert project.parts.number == number
    assert "parts" not in sys.modules


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("def train", "def fit"), "no function train: define train.pairs, seconds"),
        (GOOD.replace("def translate", "def write"), "no function translate"),
        (
            GOOD.replace("[trained", "list([trained").replace("]\n", "])[1:]\n"),
            "11 translations of 12",
        ),
        (GOOD.replace("return [trained[sentence]", "return [None"), "translation 1 is a NoneType"),
        (GOOD.replace("[trained[sentence] for sentence in sentences]", "'Ja'"), "returned a str"),
    ],
)
def test_what_cannot_be_scored_is_said(tmp_path, text, said):
    with pytest.raises(MtcourseError, match=said):
        measure_project(written(tmp_path, text), PAIRS, PAIRS)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(MtcourseError, match=r"cannot read .*none\.py: No such file"):
        load_project(tmp_path / "none.py")


@pytest.mark.skipif(sys.platform == "win32", reason="no timer of CPU time")
@pytest.mark.parametrize(
    "endless", ["while True: pass", "while True:\n  try: x = 1\n  except Exception: pass"]
)
def test_training_that_goes_on_after_the_budget_is_stopped(tmp_path, endless):
    body = endless.replace("\n", "\n    ")
    text = GOOD.replace("    return {pair", f"    {body}\n    return {{pair")
    with pytest.raises(MtcourseError, match="train has used .* its budget is 0.00"):
        measure_project(written(tmp_path, text), PAIRS, PAIRS, seconds=0.2)


@pytest.mark.skipif(sys.platform == "win32", reason="the time of children is unknown there")
def test_the_time_of_processes_that_have_ended_counts():
    before = cpu_seconds()
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    assert cpu_seconds() - before > 0.4, "the system counts in steps of 10 ms"


# --- two runs compared --------------------------------------------------------------------------


def test_translations_come_back_from_their_file(tmp_path):
    lines = ["Ja.", "", "Een  mooi\nhuis."]
    write_translations(tmp_path / "out.txt", lines)
    assert read_translations(tmp_path / "out.txt", 3) == ["Ja.", "", "Een mooi huis."]
    with pytest.raises(MtcourseError, match="3 translations, and 4 sentences"):
        read_translations(tmp_path / "out.txt", 4)
    with pytest.raises(MtcourseError, match="cannot read the translations"):
        read_translations(tmp_path / "none.txt", 4)


def test_a_change_is_told_with_what_it_cannot_show():
    perfect = [pair.target for pair in PAIRS]
    worse = [f"{text} En nog iets anders." for text in perfect]
    told = describe_change(compare_translations(perfect, worse, PAIRS))
    assert told.startswith("BLEU changes by -")
    assert "other sentences would give a change in the same direction" in told
    assert "another start" in told
    one = [worse[0], *perfect[1:]]
    assert "could go either way" in describe_change(compare_translations(perfect, one, PAIRS))


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs ``mtcourse project`` with arguments on a few pairs; returns status, output and error."""
    corpus = type("Corpus", (), {"splits": {"train": PAIRS, "dev": PAIRS[:6], "test": PAIRS[6:]}})
    monkeypatch.setattr("mtcourse.text.corpora.builtin_corpus", lambda seed: corpus)
    threads = torch.get_num_threads()

    def run_with(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mtcourse", "project", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.StringIO())
        try:
            cli.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    yield run_with
    torch.set_num_threads(threads)


def test_the_command_measures_and_compares(run, tmp_path):
    file, kept = written(tmp_path, GOOD), tmp_path / "kept.txt"
    status, out, err = run(file, "--out", kept)
    assert status == 0, err
    assert "of 10 CPU-minutes" in out
    assert "BLEU  100.0" in out
    assert "BLEU 90 within 10 CPU-minutes: reached" in out
    assert kept.read_text(encoding="utf-8").splitlines() == [pair.target for pair in PAIRS[6:]]
    worse = written(tmp_path, GOOD.replace("[trained[sentence]", "['Ja, ja, ja, ja!'"), "worse.py")
    status, out, _ = run(worse, "--against", kept)
    assert status == 0
    assert "BLEU changes by -100.0" in out
    assert "BLEU 90 within 10 CPU-minutes: not reached" in out
    for other in (("--split", "dev"), ("--minutes", "11")):
        assert "within 10" not in run(worse, *other)[1], "the bar is for the test split and budget"


def test_what_a_learner_got_wrong_is_one_line(run, tmp_path):
    for arguments in (
        [TEMPLATE],
        [tmp_path / "none.py"],
        [written(tmp_path, GOOD), "--split", "train"],
        [written(tmp_path, GOOD), "--against", tmp_path / "none.txt"],
    ):
        status, _, err = run(*arguments)
        assert status == 2
        assert err.startswith("mtcourse: ")
        assert err.count("\n") == 1
