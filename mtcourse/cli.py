"""The command line: mtcourse translate · train · evaluate · sample · check · project · grade · …

Heavy imports stand inside the commands, so that ``mtcourse --help`` is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from mtcourse.errors import MtcourseError

if TYPE_CHECKING:
    from mtcourse.models.translator import Translator
    from mtcourse.text.pairs import SentencePair
    from mtcourse.training.callbacks import Callback
    from mtcourse.training.config import TrainingConfig
    from mtcourse.training.loop import TrainingState

T = TypeVar("T")
NEW_WORDS = 20
"""That ``mtcourse translate`` names."""

app = typer.Typer(
    help="Transformers for machine translation, from the equations to a working translator.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

exercises = typer.Typer(
    help="Make the exercise notebooks from their solutions.", no_args_is_help=True
)
app.add_typer(exercises, name="exercises")

Checkpoint = Annotated[
    Path | None, typer.Option(help="Folder of a training run; by default the shipped translator.")
]
Device = Annotated[str, typer.Option(help="auto, cuda, mps or cpu.")]
SearchName = Annotated[
    str,
    typer.Option(
        help="greedy; beam, or beam:8 for eight beams; sample, or sample:7 for the random numbers "
        "of seed 7."
    ),
]
FamilyName = Annotated[str, typer.Option(help="translator, decoder or encoder.")]
Language = Annotated[
    str, typer.Option(help="Of a corpus of pairs, for decoder and encoder: nl, en, … or both.")
]
CORPORA = (
    "builtin; libreoffice[:language[:longest]]; FILE.en-nl.tsv; SOURCE.en,TARGET.nl; FILE.po; "
    "FOLDER:nl, with catalogs"
)
Corpus = Annotated[str, typer.Option(help=f"{CORPORA}; for decoder and encoder also FILE.txt")]


@app.command()
def translate(
    sentences: Annotated[
        list[str] | None,
        typer.Argument(help="Sentences; - or nothing stands for the lines of standard input."),
    ] = None,
    checkpoint: Checkpoint = None,
    search: SearchName = "beam",
    n_best: Annotated[int, typer.Option(min=1, help="Translations for each, with scores.")] = 1,
    device: Device = "auto",
) -> None:
    """Translate sentences; English to Dutch with the shipped translator."""
    from mtcourse.decoding.strategies import strategy
    from mtcourse.models.translator import Translator

    chosen = strategy(search, n_best)
    sources = _given(sentences)
    translator = Translator.load(checkpoint, device)
    for candidates in translator.candidates(sources, chosen):
        for candidate in candidates:
            scored = f"{candidate.score:.3f}\t" if n_best > 1 else ""
            typer.echo(f"{scored}{candidate.text}")
    if new := _new_words(checkpoint, sources):
        typer.echo(new, err=True)


@app.command()
def corpus(
    name: Annotated[str, typer.Argument(help=CORPORA)],
    pairs: Annotated[int, typer.Option(min=0, help="Training pairs to show.")] = 30,
) -> None:
    """Look at a corpus before training: what is left out and why, pairs to read, a baseline."""
    from mtcourse.recipes.corpus_look import look_at
    from mtcourse.text.corpora import load_corpus

    typer.echo(look_at(load_corpus(name), pairs))


@app.command()
def train(
    out: Annotated[Path, typer.Option(help="Folder of the run; made if needed.")],
    corpus: Corpus = "builtin",
    family: FamilyName = "translator",
    language: Language = "both",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    steps: Annotated[int | None, typer.Option(min=1, help="Updates of the whole run.")] = None,
    vocabulary_size: Annotated[
        int | None, typer.Option(min=1, help="Subword pieces; a small corpus allows few.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 1,
    precision: Annotated[str, typer.Option(help="float32 or bfloat16 autocast.")] = "float32",
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also log there.")] = False,
    device: Device = "auto",
) -> None:
    """Train a model of any family, and score it on dev; after Ctrl-C, --resume goes on."""
    from mtcourse.recipes.families import check_family
    from mtcourse.training.callbacks import TensorBoardLog

    check_family(family)
    run = _train_translator if family == "translator" else partial(_train_text, family, language)

    def logs() -> list[Callback]:
        return [TensorBoardLog(out / "tensorboard")] if tensorboard else []

    state, scores = run(out, corpus, resume, steps, vocabulary_size, seed, precision, device, logs)
    if state.interrupted:
        options = "" if family == "translator" else f" --family {family} --language {language}"
        typer.echo(
            f"stopped after step {state.step}; go on with: "
            f"mtcourse train --out {out} --corpus {corpus}{options} --resume",
            err=True,
        )
        raise typer.Exit(130)
    typer.echo(f"loss {state.losses[-1]:.3f}, best dev loss {state.best_dev_loss:.3f}")
    typer.echo(scores())


@app.command()
def evaluate(
    checkpoint: Checkpoint = None,
    corpus: Corpus = "builtin",
    split: Annotated[str, typer.Option(help="train, dev or test; all takes every pair.")] = "test",
    search: SearchName = "beam",
    family: FamilyName = "translator",
    language: Language = "both",
    device: Device = "auto",
) -> None:
    """Score a model on a test set: BLEU and chrF, bits per byte, or the share of filled blanks."""
    from mtcourse.decoding.strategies import strategy
    from mtcourse.models.translator import Translator
    from mtcourse.recipes.families import load_model, score_text
    from mtcourse.recipes.translator import evaluate_translator
    from mtcourse.text.corpora import load_corpus
    from mtcourse.text.texts import load_text

    chosen = strategy(search)
    model = load_model(checkpoint, family, device)
    if isinstance(model, Translator):
        data = load_corpus(corpus)
        pairs = _short_enough(model, _split_of(data.name, data.splits, split))
        typer.echo(evaluate_translator(model, pairs, chosen)[0])
    else:
        text = load_text(corpus, language)
        typer.echo(score_text(model, _split_of(text.name, text.splits, split)))


@app.command()
def report(
    out: Annotated[Path, typer.Option(help="The file to write, in Markdown.")],
    checkpoint: Checkpoint = None,
    corpus: Corpus = "builtin",
    split: Annotated[str, typer.Option(help="A test set of the corpus.")] = "test",
    search: SearchName = "beam",
    sheet: Annotated[
        Path | None,
        typer.Option(help="Also write 50 translations for people to judge, to this CSV file."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Write a report on a translator: scores, faults, unknown words, examples, what to add."""
    from mtcourse.decoding.strategies import strategy
    from mtcourse.models.translator import SHIPPED, Translator
    from mtcourse.recipes.report import write_report
    from mtcourse.text.corpora import load_corpus

    chosen = strategy(search)
    translator = Translator.load(checkpoint, device=device)
    data = load_corpus(corpus)
    run = checkpoint or SHIPPED
    scores = write_report(
        translator, data, split, chosen, out, search_name=search, run=run, sheet=sheet
    )
    typer.echo(scores)


@app.command()
def page(
    out: Annotated[
        Path, typer.Option(help="The folder to write: new, empty, or such a page already.")
    ],
    checkpoint: Checkpoint = None,
    corpus: Annotated[
        str | None,
        typer.Option(help="What it was trained on; only for a run that has not kept it."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="What mtcourse report wrote, filled in: your answers go on the card."),
    ] = None,
) -> None:
    """Write a web page in which a translator runs: a folder for any host, or for no host at all.

    The page has the translator itself, its scores, what it gets wrong, its known words and its
    model card. It asks no other host for anything: open its index.html from the disk, or copy the
    folder to a web server. Before you publish it, look at the licence of the corpus.
    """
    from mtcourse.page.translator_page import write_translator_page
    from mtcourse.recipes.report import YOURS, answers_in
    from mtcourse.text.corpora import load_corpus

    answers = answers_in(report) if report else {}
    data = load_corpus(corpus) if corpus else None
    typer.echo(write_translator_page(checkpoint, out, data, answers))
    missing = [heading for heading, _ in YOURS if heading not in answers]
    if report and missing:
        typer.echo(f"not answered in {report}: {', '.join(missing)}", err=True)


@app.command()
def sample(
    lines: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sentences to translate, prompts to continue, or sentences with <mask> in them; "
            "- or nothing stands for the lines of standard input."
        ),
    ] = None,
    checkpoint: Checkpoint = None,
    family: FamilyName = "translator",
    search: SearchName = "sample",
    device: Device = "auto",
) -> None:
    """Let a model of any family write: a translation, a continuation, or what fills the blanks."""
    from mtcourse.decoding.strategies import strategy
    from mtcourse.recipes.families import load_model
    from mtcourse.recipes.families import sample as sample_from

    chosen = strategy(search)
    for text in sample_from(load_model(checkpoint, family, device), _given(lines), chosen):
        typer.echo(text)


@app.command()
def check(
    paths: Annotated[list[Path], typer.Argument(help="Exercise notebooks, or their folder.")],
) -> None:
    """Run your answers, and say what is right, what is not, and what comes next."""
    from rich.console import Console

    from mtcourse.grading.progress import find_notebooks, folder_table, notebook_table, wrap_report
    from mtcourse.grading.run_notebook import run_exercises

    console = Console()
    results = {}
    for path in find_notebooks(paths):
        with console.status(f"running {path.name}"):
            results[path] = run_exercises(path)
    if len(results) > 1:
        console.print(folder_table(results))
        return
    for path, of_one in results.items():
        for result in of_one:
            if result.state in ("wrong", "stopped"):
                said = wrap_report(result.report, console.width)
                console.print(said, end="\n\n", markup=False, highlight=False)
        console.print(notebook_table(path, of_one))


@app.command()
def project(
    file: Annotated[Path, typer.Argument(help="Your translator, with train and translate.")],
    minutes: Annotated[float, typer.Option(min=0.01, help="CPU-minutes of training.")] = 10,
    seed: Annotated[int, typer.Option(help="The random start, given to train.")] = 0,
    split: Annotated[str, typer.Option(help="What it is scored on: dev or test.")] = "test",
    corpus_seed: Annotated[
        int, typer.Option(help="Other sentences, for training and for the score.")
    ] = 1,
    out: Annotated[Path | None, typer.Option(help="Write the translations to this file.")] = None,
    against: Annotated[
        Path | None, typer.Option(help="Translations of an earlier run, to compare with.")
    ] = None,
) -> None:
    """Train the translator of a project within a budget of CPU time, and score it."""
    import torch

    from mtcourse.project.measure import (
        BAR,
        MINUTES,
        compare_translations,
        describe_change,
        measure_project,
        read_translations,
        write_translations,
    )
    from mtcourse.text.corpora import builtin_corpus

    torch.set_num_threads(1)
    splits = builtin_corpus(seed=corpus_seed).splits
    if split not in ("dev", "test"):
        raise MtcourseError(f"a project is scored on dev or test, not on {split!r}")
    earlier = read_translations(against, len(splits[split])) if against else []
    measured = measure_project(file, splits["train"], splits[split], 60 * minutes, seed)
    typer.echo(measured)
    if split == "test" and minutes <= MINUTES:
        reached = "reached" if measured.scores.bleu >= BAR else "not reached"
        typer.echo(f"BLEU {BAR:g} within {MINUTES:g} CPU-minutes: {reached}")
    if out:
        write_translations(out, measured.translations)
    if against:
        change = compare_translations(earlier, measured.translations, splits[split])
        typer.echo(describe_change(change))


@app.command("project-search")
def project_search(
    file: Annotated[Path, typer.Argument(help="Your decoder, with the function translate.")],
    template: Annotated[Path, typer.Option(help="The decoder to compare its speed with.")] = Path(
        "projects/search/decoder.py"
    ),
    split: Annotated[str, typer.Option(help="compositional, which counts, or dev.")] = (
        "compositional"
    ),
    sentences: Annotated[int, typer.Option(min=20, help="How many of them.")] = 1000,
    greedy: Annotated[
        bool, typer.Option("--greedy", help="One beam alone: before beam search is written.")
    ] = False,
) -> None:
    """Measure the decoder of a project: its speed beside the template's, BLEU, what it finds."""
    import torch

    from mtcourse.project.own_search import measure_greedy, measure_search
    from mtcourse.text.corpora import builtin_corpus

    torch.set_num_threads(1)
    if split not in ("dev", "compositional"):
        raise MtcourseError(f"this project is scored on dev or compositional, not on {split!r}")
    if not template.exists():
        raise MtcourseError(
            f"the template {template} is not here: run this in the course's folder, or name the "
            "template with --template"
        )
    measure = measure_greedy if greedy else measure_search
    typer.echo(measure(file, template, builtin_corpus().splits[split][:sentences]))


@app.command()
def grade(
    submissions: Annotated[
        Path, typer.Argument(help="Their folder, the archive of an LMS, or one notebook.")
    ],
    solutions: Annotated[Path, typer.Option(help="The solution notebooks.")] = Path("solutions"),
    out: Annotated[Path, typer.Option(help="Folder of the grades.")] = Path("grades"),
    explain: Annotated[
        bool, typer.Option("--explain", help="Say all about one notebook, and keep nothing.")
    ] = False,
    merged: Annotated[
        Path | None,
        typer.Option(help="Only write one notebook, merged with its solution, for nbval alone."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the inputs, as a result names it; else secret.")
    ] = None,
    isolation: Annotated[
        str, typer.Option(help="auto, warm, bubblewrap, podman, docker or none.")
    ] = "auto",
    seconds: Annotated[float, typer.Option(min=1, help="That a cell may take.")] = 30,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one for each processor.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask cluster that grades instead.")
    ] = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="Grade again what would come out otherwise now.")
    ] = False,
    learner: Annotated[
        str | None, typer.Option(help="With --regrade: this learner, whatever has changed.")
    ] = None,
    exercise: Annotated[
        str | None, typer.Option(help="With --regrade: this exercise, whatever has changed.")
    ] = None,
    policy: Annotated[
        Path, typer.Option(help="Folder of policy.toml, adjustments.csv and times.csv.")
    ] = Path(),
) -> None:
    """Grade what learners handed in; stopped and started again, it goes on where it was."""
    from mtcourse.grading.interruption import check_interrupted, exit_status, interruptible

    try:
        with interruptible():  # an import may lose the exception of Ctrl-C
            from rich.console import Console

            from mtcourse.grading.backlog import Regrade
            from mtcourse.grading.command import (
                Options,
                explain_submission,
                grade_submissions,
                write_merged_notebook,
            )

            check_interrupted()

        if not regrade and (learner or exercise):
            raise MtcourseError("--learner and --exercise say what to grade again: add --regrade")
        again = Regrade(learner, exercise) if regrade else None
        options = Options(seed, isolation, seconds, workers, scheduler, again, policy)
        if merged:
            seed = write_merged_notebook(submissions, solutions, merged, options)
            typer.echo(f"wrote {merged}, with inputs of --seed {seed}")
        elif explain:
            explain_submission(submissions, solutions, options, Console())
        elif status := grade_submissions(submissions, solutions, out, options, Console()):
            raise typer.Exit(status)
    except KeyboardInterrupt:
        raise typer.Exit(exit_status()) from None


@app.command()
def rubric(
    file: Annotated[Path, typer.Argument(help="The rubric, such as projects/part_2/rubric.toml.")],
    out: Annotated[Path, typer.Option(help="Folder of the grades.")] = Path("grades"),
    learner: Annotated[
        list[str] | None, typer.Option(help="Whose form; by default all who have grades there.")
    ] = None,
) -> None:
    """Write a form for each learner, to grade a project by hand; mtcourse grade reads them."""
    from mtcourse.grading.rubric import start_grading

    found, written = start_grading(file, out, learner or [])
    typer.echo(f"{found.name}, {found.points} points: {len(written)} new forms")
    for path in written:
        typer.echo(path)


@app.command()
def questions(
    out: Annotated[Path, typer.Option(help="The archive to write, such as questions.zip.")],
    chapter: Annotated[
        list[str] | None,
        typer.Option(help="A chapter by its word, such as attention; by default all of them."),
    ] = None,
) -> None:
    """Write the chapters' questions as a quiz that learning platforms import (QTI)."""
    from mtcourse.questions.every_question import chapters_with_questions, questions_of
    from mtcourse.questions.export import write_qti

    known = chapters_with_questions()
    chosen = chapter or known
    if unknown := sorted(set(chosen) - set(known)):
        raise MtcourseError(
            f"no questions for {', '.join(unknown)}: there are some for {', '.join(known)}"
        )
    asked = [question for word in chosen for question in questions_of(word)]
    write_qti(asked, ", ".join(chosen) if chapter else "Transformers for machine translation", out)
    typer.echo(f"{len(asked)} questions in {out}")


@exercises.command("build")
def build_exercises(
    solutions: Annotated[Path, typer.Argument(help="The sources.")] = Path("solutions"),
    out: Annotated[Path, typer.Option(help="Folder of the exercises.")] = Path("exercises"),
    only_check: Annotated[
        bool, typer.Option("--check", help="Only say which are out of step, and fail if any is.")
    ] = False,
) -> None:
    """Write an exercise notebook for each solution notebook."""
    from mtcourse.grading.exercise_notebook import write_exercise_notebooks

    if not solutions.is_dir():
        raise MtcourseError(f"there is no folder {solutions}: run this where the solutions are")
    stale = write_exercise_notebooks(solutions, out, write=not only_check)
    for path in stale:
        typer.echo(f"{'out of step' if only_check else 'wrote'}: {path}")
    if stale and only_check:
        raise MtcourseError("run: mtcourse exercises build")


@exercises.command("release")
def release_exercises(
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    solutions: Annotated[Path, typer.Option(help="The sources.")] = Path("solutions"),
    projects: Annotated[
        Path | None, typer.Option(help="Templates of projects to hand out, too: projects.")
    ] = None,
    book: Annotated[
        Path | None, typer.Option(help="The built book to hand out, too: _build/html.")
    ] = None,
    cohort: Annotated[
        str | None,
        typer.Option(help="A class that gets numbers of its own, such as 2027; see vary."),
    ] = None,
) -> None:
    """Write what learners get into a new folder, and prove that it holds no solution."""
    from mtcourse.grading.release import write_release

    if cohort:
        solutions = _cohort_solutions(solutions, cohort, None)
    written = write_release(solutions, out, projects, book)
    typer.echo(f"{len(written)} files in {out}, and no passage of a solution in any")


@exercises.command("update")
def update_exercises(
    old: Annotated[Path, typer.Argument(help="The notebook in which you have worked.")],
    new: Annotated[Path, typer.Argument(help="The newer one, in which nobody has.")],
) -> None:
    """Move your answers and the cells that you added into a newer release of a notebook."""
    from mtcourse.grading.renew import renew_notebook

    typer.echo(renew_notebook(old, new))


@exercises.command("vary")
def vary_solutions(
    cohort: Annotated[
        str | None, typer.Argument(help="The class, such as 2027; none only lists what varies.")
    ] = None,
    solutions: Annotated[Path, typer.Option(help="The sources.")] = Path("solutions"),
    out: Annotated[
        Path | None, typer.Option(help="The folder to make; by default solutions-2027.")
    ] = None,
) -> None:
    """Write solutions with other numbers for a class, and prove that its checks tell mistakes."""
    from mtcourse.grading.cohort_solutions import describe_variations, list_variations

    if cohort:
        _cohort_solutions(solutions, cohort, out)
    typer.echo(describe_variations(list_variations(solutions)))


def _cohort_solutions(solutions: Path, cohort: str, out: Path | None) -> Path:
    """The solutions of a class, which are written if they are not there yet."""
    from mtcourse.grading.cohort_solutions import check_numbers, write_cohort_solutions
    from mtcourse.grading.solution_notebook import read_cohort, read_notebook

    out = out or solutions.with_name(f"{solutions.name}-{cohort}")
    if not out.exists():
        typer.echo(f"proving the numbers of {cohort} for every exercise takes some minutes")
        written = write_cohort_solutions(solutions, cohort, out, typer.echo)
        typer.echo(f"{len(written)} solutions in {out}: grade with --solutions {out}")
    for path in sorted(out.glob("*.ipynb")):
        notebook = read_notebook(path)
        if read_cohort(notebook) != cohort:
            raise MtcourseError(f"{path} is not of the cohort {cohort}: name another folder")
        check_numbers(path, notebook)
    return out


@exercises.command("scan")
def scan_for_solutions(
    paths: Annotated[list[Path], typer.Argument(help="Files, archives and folders.")],
    solutions: Annotated[Path, typer.Option(help="The sources.")] = Path("solutions"),
) -> None:
    """Look for solutions in notebooks, pages, search indices, scripts and archives."""
    from mtcourse.grading.release import describe_leaks, scan_release

    if leaks := scan_release(paths, solutions):
        raise MtcourseError(describe_leaks(leaks))
    typer.echo("no passage of a solution stands there")


@exercises.command("run")
def run_solutions(
    notebooks: Annotated[list[Path], typer.Argument(help="Solution notebooks.")],
) -> None:
    """Run solution notebooks and store their outputs, which nbval then compares."""
    from mtcourse.grading.run_notebook import store_outputs

    for path in notebooks:
        store_outputs(path)
        typer.echo(f"ran {path}")


def _new_words(checkpoint: Path | None, sources: Sequence[str]) -> str:
    """What to say of words that training never showed; nothing if nobody knows, or all are known.

    Each word is named once, in the order in which they come.
    """
    from mtcourse.models.translator import SHIPPED
    from mtcourse.text.corpus_record import CorpusRecord
    from mtcourse.text.known_words import unknown_words

    record = CorpusRecord.load(checkpoint or SHIPPED)
    if record is None:
        return ""
    known = frozenset(record.known)
    words = [word for source in sources for word in unknown_words(source, known)]
    new = list({word.lower(): word for word in reversed(words)}.values())[::-1]
    if not new:
        return ""
    more = f" and {len(new) - NEW_WORDS:,} more" if len(new) > NEW_WORDS else ""
    return (
        f"new to the translator, which guesses at them from their letters: "
        f"{', '.join(new[:NEW_WORDS])}{more}"
    )


Scored = tuple["TrainingState", Callable[[], str]]
"""How far a run has come, and what says how good its model is."""


def _given(lines: Sequence[str] | None) -> list[str]:
    """The lines of a command; ``-`` stands for those of standard input, and so does nothing."""
    return [
        line
        for one in lines or ["-"]
        for line in (sys.stdin.read().splitlines() if one == "-" else [one])
    ]


def _train_translator(
    out: Path,
    spec: str,
    resume: bool,
    steps: int | None,
    pieces: int | None,
    seed: int,
    precision: str,
    device: str,
    logs: Callable[[], list[Callback]],
) -> Scored:
    """Trains a translator on sentence pairs."""
    from mtcourse.recipes.translator import (
        Recipe,
        check_folder,
        evaluate_translator,
        train_translator,
    )
    from mtcourse.text.corpora import load_corpus
    from mtcourse.training.callbacks import progress

    check_folder(out, resume)
    recipe = Recipe.load(out) if resume else Recipe()
    training = _training(recipe.training, resume, steps, seed, precision)
    recipe = replace(recipe, training=training)
    if pieces and not resume:
        recipe = replace(recipe, model=replace(recipe.model, V_s=pieces, V_t=pieces))
    data = load_corpus(spec)
    typer.echo(f"{data.name}: {len(data.splits['train']):,} pairs to train on", err=True)
    with progress() as show:
        trained = train_translator(
            data,
            out,
            recipe,
            callbacks=[show, *logs()],
            resume=resume,
            device=device,
            say=lambda told: typer.echo(told, err=True),
        )
    if trained.skipped:
        typer.echo(f"left out {len(trained.skipped)}: {trained.skipped[0].reason}, …", err=True)
    dev = data.splits["dev"]  # the test set is for the end: each look at it invites a choice

    def scores() -> str:
        pairs = _short_enough(trained.translator, dev)
        return f"dev:\n{evaluate_translator(trained.translator, pairs)[0]}"

    return trained.state, scores


def _short_enough(translator: Translator, pairs: Sequence[SentencePair]) -> list[SentencePair]:
    """The pairs that the translator can read; says how many it cannot."""
    from mtcourse.recipes.translator import readable

    short = readable(translator, pairs)
    if left_out := len(pairs) - len(short):
        typer.echo(
            f"left out of the scores: {left_out} sentences that are longer than the model reads",
            err=True,
        )
    return short


def _train_text(
    family: str,
    language: str,
    out: Path,
    spec: str,
    resume: bool,
    steps: int | None,
    pieces: int | None,
    seed: int,
    precision: str,
    device: str,
    logs: Callable[[], list[Callback]],
) -> Scored:
    """Trains a model of one stack on text."""
    from mtcourse.recipes.families import TEXT_FAMILIES, score_text
    from mtcourse.recipes.text_recipe import TextRecipe, check_folder, train_text_model
    from mtcourse.text.texts import load_text
    from mtcourse.training.callbacks import progress

    chosen = TEXT_FAMILIES[family]
    check_folder(chosen, out, resume)
    recipe = TextRecipe.load(out, family) if resume else TextRecipe()
    training = _training(recipe.training, resume, steps, seed, precision)
    recipe = replace(recipe, training=training)
    if pieces and not resume:
        recipe = replace(recipe, model=replace(recipe.model, V=pieces))
    text = load_text(spec, language)
    typer.echo(f"{text.name}: {len(text.splits['train']):,} sentences to train on", err=True)
    with progress() as show:
        trained = train_text_model(
            chosen, text, out, recipe, callbacks=[show, *logs()], resume=resume, device=device
        )
    dev = text.splits["dev"]
    return trained.state, lambda: f"dev:\n{score_text(trained.model, dev)}"


def _training(
    training: TrainingConfig, resume: bool, steps: int | None, seed: int, precision: str
) -> TrainingConfig:
    """How to train, with what the command line changes; a resumed run may only become longer."""
    if resume:
        return replace(training, steps=steps or training.steps)
    steps = steps or training.steps
    warmup = min(training.warmup, steps // 2)
    # A wrong precision is named by the config itself.
    return replace(
        training, steps=steps, warmup=warmup, seed=seed, precision=cast("Any", precision)
    )


def _split_of(name: str, splits: Mapping[str, Sequence[T]], split: str) -> Sequence[T]:
    """One split of a corpus, or all of them.

    Raises:
        MtcourseError: the corpus has nothing in that split, and what it has.
    """
    chosen = [*chain(*splits.values())] if split == "all" else splits.get(split)
    if not chosen:
        there = ", ".join(known for known, of_split in splits.items() if of_split)
        raise MtcourseError(f"the corpus {name} has no split {split!r}; it has {there}, and all")
    return chosen


def main() -> None:
    """Runs a command; an error that the user can mend is one line, without a traceback."""
    try:
        app()
    except MtcourseError as error:
        typer.echo(f"mtcourse: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
