"""Claims that chapters 10 to 12 test."""

from __future__ import annotations

from mtcourse.chapters.reproduced_claims.comparisons import by_start, exponent, percent_lower
from mtcourse.chapters.reproduced_claims.effects import Effect
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import More, NoWorse, Number
from mtcourse.evaluation.starts import load_measured

LAST = 5
"""A run's loss at its end is the mean of this many of its last records."""
PAPERS_DEPTH = 6
"""The paper's smallest translator has 6 + 6 layers; a law for large depths starts there."""
COLLAPSED, EARLY = 24, 2
"""Layers after which rows are compared: at the end, and before attention alone makes them equal."""


def rank_collapse() -> Reproduced:
    """Rows of attention alone."""
    cosines = load_measured("depth")["cosines"]["attention alone"]
    return Reproduced(
        name="rank-collapse",
        title="Attention alone makes all rows alike",
        paper="dong2021",
        place="abstract",
        theirs="Without skip connections and MLPs, the output converges to a matrix of rank 1.",
        ours=f"Mean cosine between the rows of a sentence after {COLLAPSED} layers of attention",
        unit="",
        digits=3,
        effect=Effect.of_starts([run[COLLAPSED] for run in cosines]),
        rule=Number(1.0),
        script="scripts/measure_depth.py",
        chapter="10_blocks",
        differs="Untrained layers, and the cosine in place of the paper's distance from rank 1.",
    )


def skip_connections() -> Reproduced:
    """Residual connections against the collapse."""
    cosines = load_measured("depth")["cosines"]
    alone, residual = (
        [run[EARLY] for run in cosines[kind]]
        for kind in ("attention alone", "attention and residual")
    )
    return Reproduced(
        name="skip-connections",
        title="Residual connections slow the collapse",
        paper="dong2021",
        place="abstract and section 1",
        theirs="Skip connections play a key role in mitigating rank collapse.",
        ours=(
            f"Mean cosine after {EARLY} layers of attention alone, minus the cosine with residual "
            "connections"
        ),
        unit="",
        digits=2,
        effect=by_start(alone, residual),
        rule=More(),
        script="scripts/measure_depth.py",
        chapter="10_blocks",
        differs="Untrained layers. After 24 layers, rows with residual connections are alike too.",
    )


def networks_slow_collapse() -> Reproduced:
    """Position-wise networks against the collapse."""
    cosines = load_measured("depth")["cosines"]
    alone, networks = (
        [run[EARLY] for run in cosines[kind]]
        for kind in ("attention alone", "attention and network")
    )
    return Reproduced(
        name="networks-collapse",
        title="Networks slow the collapse",
        paper="dong2021",
        place="section 1",
        theirs="MLPs can slow down the convergence to rank 1.",
        ours=(
            f"Mean cosine after {EARLY} layers of attention alone, minus the cosine with "
            "position-wise networks between them"
        ),
        unit="",
        digits=4,
        effect=by_start(alone, networks),
        rule=More(),
        script="scripts/measure_depth.py",
        chapter="10_blocks",
        differs="Untrained networks with small weights; the paper's bound allows large ones.",
    )


def two_thirds() -> Reproduced:
    """The share of the position-wise networks."""
    counts = load_measured("shipped")["parameters"]
    return Reproduced(
        name="two-thirds",
        title="Networks hold two thirds of the parameters",
        paper="geva2021",
        place="abstract",
        theirs="Feed-forward layers constitute two thirds of a Transformer's parameters.",
        ours="Share of the networks in the shipped translator",
        unit="",
        digits=2,
        effect=Effect.exact(counts["networks"] / counts["all"]),
        rule=Number(2 / 3),
        script="scripts/measure_shipped.py",
        chapter="10_blocks",
        differs=(
            "The paper counts the blocks of a decoder-only model. Ours has cross-attention, and a "
            "table that is large for so small a model."
        ),
    )


def gradient_of_last_block(shallowest: int = PAPERS_DEPTH) -> Reproduced:
    """How the last gradient falls with depth in pre-norm.

    Args:
        shallowest: the smallest number of layers that counts.
    """
    depth = load_measured("depth")
    deep = [L for L in depth["depths"] if shallowest <= L]
    by_depth = [depth["gradients"]["decoder"]["pre-norm"][str(L)] for L in deep]
    slopes = [
        exponent(deep, [run[-1] for run in of_start]) for of_start in zip(*by_depth, strict=True)
    ]
    return Reproduced(
        name="last-gradient",
        title="In pre-norm the last gradient shrinks with depth",
        paper="xiong2020",
        place="section 3.3, Theorem 1",
        theirs="The bound for the last layer's gradient falls like $L^{-1/2}$ with $L$ layers.",
        ours=(
            "Exponent of $L$ in the norm of the last block's gradient, "
            f"{min(deep)} to {max(deep)} layers"
        ),
        unit="",
        digits=2,
        effect=Effect.of_starts(slopes),
        rule=Number(-0.5),
        script="scripts/measure_depth.py",
        chapter="10_blocks",
        differs="Encoder and decoder of equal depth, on one batch, before training.",
    )


def post_norm_needs_warmup() -> Reproduced:
    """Warm-up in post-norm."""
    ended = _ended()
    return Reproduced(
        name="post-norm-warmup",
        title="Post-norm needs a warm-up",
        paper="xiong2020",
        place="section 3.2",
        theirs="IWSLT 2014: BLEU of 8.45 without a warm-up, and about 34 with it.",
        ours="By how much a warm-up lowers the training loss of post-norm",
        unit="%",
        digits=1,
        effect=percent_lower(ended["post-norm, with warm-up"], ended["post-norm, no warm-up"]),
        rule=More(),
        script="scripts/measure_warmup.py",
        chapter="10_blocks",
        differs="12 + 12 layers and 400 updates; the paper trains much longer and reports BLEU.",
    )


def pre_norm_needs_none() -> Reproduced:
    """Warm-up in pre-norm."""
    ended = _ended()
    return Reproduced(
        name="pre-norm-warmup",
        title="Pre-norm needs no warm-up",
        paper="xiong2020",
        place="section 4.2",
        theirs="IWSLT 2014: BLEU of about 34 without a warm-up, comparable with the baselines.",
        ours="By how much the training loss of pre-norm is lower without a warm-up",
        unit="%",
        digits=1,
        effect=percent_lower(ended["pre-norm, no warm-up"], ended["pre-norm, with warm-up"]),
        rule=NoWorse(),
        script="scripts/measure_warmup.py",
        chapter="10_blocks",
        differs="12 + 12 layers and 400 updates, in which a warm-up also costs time.",
    )


def deep_pre_norm() -> Reproduced:
    """Deep models with either norm."""
    ended = _ended()
    return Reproduced(
        name="deep-pre-norm",
        title="Deep translators learn better in pre-norm",
        paper="wang2019",
        place="abstract and section 1",
        theirs="Learning deep encoders is difficult, and the right place of the norm is one cure.",
        ours="By how much the loss of pre-norm is lower than that of post-norm, both with warm-up",
        unit="%",
        digits=0,
        effect=percent_lower(ended["pre-norm, with warm-up"], ended["post-norm, with warm-up"]),
        rule=More(),
        script="scripts/measure_warmup.py",
        chapter="10_blocks",
        differs="12 + 12 layers and 400 updates; theirs have up to 30 encoder layers.",
    )


def tokenised_bleu() -> Reproduced:
    """BLEU by how words are cut."""
    found = load_measured("shipped")["tokenisation"]
    value, low, high = found["largest difference"]
    cut = [bleu for name, bleu in found["bleu"].items() if name != "spaces only"]
    return Reproduced(
        name="tokenised-bleu",
        title="BLEU depends on how words are cut",
        paper="post2018",
        place="abstract",
        theirs="Differences as high as 1.8 BLEU between commonly used configurations.",
        ours="Largest difference between four ways to cut the same translations of real text",
        unit="BLEU",
        digits=1,
        effect=Effect.of_resamples(value, low, high),
        rule=More(1.8),
        script="scripts/measure_shipped.py",
        chapter="12_training",
        differs=(
            "Short sentences of a manual; theirs is news. Without the way that cuts at spaces "
            f"only, the difference is {max(cut) - min(cut):.1f}."
        ),
    )


def _ended() -> dict[str, list[float]]:
    """The loss at the end of each run of chapter 10's comparison."""
    losses = load_measured("warmup")["losses"]
    return {kind: [sum(run[-LAST:]) / LAST for run in runs] for kind, runs in losses.items()}


CLAIMS = (
    rank_collapse,
    skip_connections,
    networks_slow_collapse,
    two_thirds,
    gradient_of_last_block,
    post_norm_needs_warmup,
    pre_norm_needs_none,
    deep_pre_norm,
    tokenised_bleu,
)
