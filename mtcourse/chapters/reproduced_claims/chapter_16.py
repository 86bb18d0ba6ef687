"""Claims that chapter 16 tests."""

from __future__ import annotations

from collections.abc import Sequence

from mtcourse.chapters.reproduced_claims.comparisons import by_start, means
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import More, NoWorse
from mtcourse.evaluation.starts import load_measured

TASKS = ("words", "programs", "parts of speech", "kinds")
OF_WORDS = ("words", "parts of speech")
ALL, HEAD, NOTHING = "all parameters", "head alone", "from nothing"
SMALL = "An encoder of 4 layers, trained on the grammar and on a manual"


def pretraining_helps() -> Reproduced:
    """Fine-tuning against training from nothing."""
    sizes = tuple(str(size) for size in load_measured("fine_tuning")["sizes"])
    return Reproduced(
        name="pretraining",
        title="Pretraining helps",
        paper="radford2018",
        place="section 5, Table 5",
        theirs="Without pretraining the average over the tasks falls by 14.8%.",
        ours="Mean macro F1 of four tasks, fine-tuned minus from nothing, 50 to 5,000 labels",
        unit="points",
        digits=1,
        effect=by_start(_f1(ALL, sizes, TASKS), _f1(NOTHING, sizes, TASKS), 100),
        rule=More(),
        script="scripts/measure_fine_tuning.py",
        chapter="16_fine_tuning",
        differs=f"{SMALL}; their average mixes accuracies with other scores.",
    )


def few_labels_suffice() -> Reproduced:
    """Fifty labels against 5,000."""
    return Reproduced(
        name="few-labels",
        title="Fine-tuning needs a hundredth of the labels",
        paper="howard2018",
        place="abstract",
        theirs="With 100 labels it matches training from scratch on 100 times as much data.",
        ours="Mean macro F1 of four tasks, fine-tuned with 50 labels minus from nothing with 5,000",
        unit="points",
        digits=0,
        effect=by_start(_f1(ALL, ("50",), TASKS), _f1(NOTHING, ("5000",), TASKS), 100),
        rule=NoWorse(),
        script="scripts/measure_fine_tuning.py",
        chapter="16_fine_tuning",
        differs=f"{SMALL}. Theirs first trains on the task's own unlabelled texts.",
    )


def frozen_is_close() -> Reproduced:
    """A head alone against all parameters."""
    return Reproduced(
        name="frozen-close",
        title="Frozen features are nearly as good as fine-tuning",
        paper="devlin2019",
        place="section 5.3, Table 7",
        theirs="NER: F1 of 96.1 with frozen features, and 96.4 fine-tuned.",
        ours="Mean macro F1 of both tasks on words, head alone minus all parameters, 5,000 labels",
        unit="points",
        digits=1,
        effect=by_start(_f1(HEAD, ("5000",), OF_WORDS), _f1(ALL, ("5000",), OF_WORDS), 100),
        rule=NoWorse(),
        script="scripts/measure_fine_tuning.py",
        chapter="16_fine_tuning",
        differs=(
            f"{SMALL}, and a linear layer on its last rows. Theirs is a recurrent network on the "
            "last four layers."
        ),
    )


def other_language() -> Reproduced:
    """English labels, Dutch sentences."""
    ours, nothing = (_f1(way, ("5000",), ("parts of speech",), "nl") for way in (ALL, NOTHING))
    return Reproduced(
        name="other-language",
        title="Labels in one language teach another",
        paper="pires2019",
        place="abstract",
        theirs='Multilingual BERT is "surprisingly good at zero-shot cross-lingual" transfer.',
        ours="Macro F1 on Dutch parts of speech, English labels, fine-tuned minus from nothing",
        unit="points",
        digits=0,
        effect=by_start(ours, nothing, 100),
        rule=More(),
        script="scripts/measure_fine_tuning.py",
        chapter="16_fine_tuning",
        differs=f"{SMALL}, in two related languages; theirs knows 104.",
    )


def _f1(way: str, sizes: Sequence[str], tasks: Sequence[str], test: str = "en") -> list[float]:
    """For each start the mean macro F1 over sizes and tasks."""
    runs = [run["curves"] for run in load_measured("fine_tuning")["starts"]]
    return means(
        *(
            [run[task][way][size][test]["macro F1"] for run in runs]
            for task in tasks
            for size in sizes
        )
    )


CLAIMS = (pretraining_helps, few_labels_suffice, frozen_is_close, other_language)
