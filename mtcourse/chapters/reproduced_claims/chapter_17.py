"""Claims that chapter 17 tests."""

from __future__ import annotations

from typing import Any

from mtcourse.chapters.reproduced_claims.comparisons import by_start, means
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import More, NoWorse
from mtcourse.evaluation.starts import load_measured

CHANGES = ("uniform", "permuted", "without largest")
SMALL = "278,000 parameters and 500 updates on short sentences of the grammar"


def decoder_alone() -> Reproduced:
    """A decoder that reads the source in its own sequence."""
    bleu = load_measured("seq2seq")["bleu"]
    real = load_measured("seq2seq_real")["bleu"]
    on_real = by_start(real["causal decoder"], real["encoder-decoder"])
    return Reproduced(
        name="decoder-alone",
        title="A decoder alone translates as well",
        paper="gao2022",
        place="abstract",
        theirs="A language model over source and target performs on par with encoder-decoders.",
        ours="BLEU of the causal decoder minus BLEU of the encoder-decoder",
        unit="BLEU",
        digits=1,
        effect=by_start(bleu["causal decoder"], bleu["encoder-decoder"]),
        rule=NoWorse(),
        script="scripts/measure_seq2seq.py",
        chapter="17_seq2seq",
        differs=f"{SMALL}. On LibreOffice's help it loses {-on_real.median:.1f} BLEU.",
    )


def reading_row() -> Reproduced:
    """Alignment from the row that reads a word."""
    writes, reads = (_error_rates("weights", row) for row in ("writes", "reads"))
    return Reproduced(
        name="reading-row",
        title="The row that reads a word aligns it better",
        paper="chen2020",
        place="abstract",
        theirs=(
            "Alignments are better where the word is the decoder's input than where it is its "
            "output."
        ),
        ours="Alignment error rate of the predicting row minus that of the reading row",
        unit="points",
        digits=0,
        effect=by_start(writes, reads, 100),
        rule=More(),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs="Two decoder layers, and sentences that seldom surprise; see also chapter 6.",
    )


def norms_align() -> Reproduced:
    """Alignment from weights times norms."""
    weights, norms = (_error_rates(measure, "writes") for measure in ("weights", "norms"))
    return Reproduced(
        name="norms-align",
        title="Norms align better than weights",
        paper="kobayashi2020",
        place="abstract",
        theirs="With the norms of the transformed vectors, attention gives reasonable alignments.",
        ours="Alignment error rate of the weights minus that of weights times norms",
        unit="points",
        digits=1,
        effect=by_start(weights, norms, 100),
        rule=More(),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs="Our weights alone align almost as well as any rule with one link a word can.",
    )


def function_words_survive() -> Reproduced:
    """Words under changed attention."""
    kept = [run["kept"] for run in load_measured("attention")["starts"]]
    function, content = (
        means(*([of[change]["both"][kind] for of in kept] for change in CHANGES))
        for kind in ("function", "content")
    )
    return Reproduced(
        name="function-words",
        title="Function words survive changed attention",
        paper="moradi2019",
        place="abstract",
        theirs="Counterfactual attention still produces 68% of function, 21% of content words.",
        ours="Share of function words that survive minus share of content words",
        unit="points",
        digits=0,
        effect=by_start(function, content, 100),
        rule=More(68 - 21),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs=(
            "The mean of three changes of all cross-attention: uniform, permuted, without the "
            "largest weight."
        ),
    )


def other_weights_same_word() -> Reproduced:
    """Predictions under permuted weights."""
    kept = [run["kept"]["permuted"]["both"] for run in load_measured("attention")["starts"]]
    share = means([of["function"] for of in kept], [of["content"] for of in kept])
    return Reproduced(
        name="other-weights",
        title="Very different weights give the same prediction",
        paper="jain2019",
        place="abstract",
        theirs="Very different attention distributions can yield equivalent predictions.",
        ours="Share of words that survive permuted weights in all layers, above one half",
        unit="points",
        digits=0,
        effect=by_start(share, [0.5] * len(share), 100),
        rule=More(),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs="Translators; theirs are recurrent classifiers, whose rows know their neighbours.",
    )


def attention_is_needed() -> Reproduced:
    """Training with uniform attention."""
    retrained = [run["retrained"] for run in load_measured("attention")["starts"]]
    return Reproduced(
        name="uniform-baseline",
        title="Models trained with uniform weights do as well",
        paper="wiegreffe2019",
        place="section 3.2",
        theirs="On some classification tasks, uniform weights do about as well as learned ones.",
        ours="BLEU of models trained with uniform cross-attention minus BLEU of normal ones",
        unit="BLEU",
        digits=0,
        effect=by_start([of["uniform"] for of in retrained], [of["own"] for of in retrained]),
        rule=NoWorse(),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs="Translation, which needs a different source word in each row.",
    )


def weights_foretell_harm() -> Reproduced:
    """What hiding the most attended word does."""
    return Reproduced(
        name="weights-foretell",
        title="Large weights point at inputs that matter",
        paper="serrano2019",
        place="abstract",
        theirs="Attention noisily predicts how much parts of the input matter.",
        ours=(
            "By how much log p of a word falls without its most attended source word, minus the "
            "fall without a random one"
        ),
        unit="nats",
        digits=1,
        effect=by_start(_harm("weights, layer 2"), _harm("random")),
        rule=More(),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs="Source words are hidden from the decoder of a translator; theirs classify texts.",
    )


def gradients_foretell_better() -> Reproduced:
    """Gradients against weights."""
    return Reproduced(
        name="gradients-foretell",
        title="Gradients find what matters better than weights",
        paper="serrano2019",
        place="abstract",
        theirs="Gradient-based rankings often predict effects better than the weights' sizes.",
        ours=(
            "By how much log p of a word falls without the source word that the gradient names, "
            "minus the fall without the most attended one"
        ),
        unit="nats",
        digits=1,
        effect=by_start(_harm("gradient"), _harm("weights, layer 2")),
        rule=More(),
        script="scripts/measure_attention.py",
        chapter="17_seq2seq",
        differs="Gradient times input of the encoder's rows; theirs is taken at the weights.",
    )


def _error_rates(measure: str, row: str) -> list[float]:
    """For each start the error rate of the better layer, heads averaged."""
    runs = [run["aer"][measure][row] for run in load_measured("attention")["starts"]]
    return [min(layer["mean"] for layer in run.values()) for run in runs]


def _harm(ranking: str) -> list[float]:
    runs: list[dict[str, Any]] = load_measured("attention")["starts"]
    return [run["erasure"][ranking]["harm"] for run in runs]


CLAIMS = (
    decoder_alone,
    reading_row,
    norms_align,
    function_words_survive,
    other_weights_same_word,
    attention_is_needed,
    weights_foretell_harm,
    gradients_foretell_better,
)
