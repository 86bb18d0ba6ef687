"""Claims that chapters 13 to 15 test."""

from __future__ import annotations

import math

from mtcourse.chapters.reproduced_claims.comparisons import by_start, means, percent_lower
from mtcourse.chapters.reproduced_claims.effects import Effect
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import More, NoWorse
from mtcourse.evaluation.starts import load_measured

ALONE, SHARED, MASKED = "one document a row", "packed, no mask", "packed, masked"
STUDY = "masking_strategies"
TINY = "Two layers, a vocabulary of 350 words, and two tasks on the grammar's words"


def bits_per_byte() -> Reproduced:
    """Perplexity and bits per byte of models with other vocabularies."""
    text = load_measured("vocabularies")["texts"]["LibreOffice's help"]
    small, *_, large = text["vocabularies"].values()
    disagreements = []
    for few, many in zip(small["nats"], large["nats"], strict=True):
        perplexities = (math.exp(few / small["tokens"]), math.exp(many / large["tokens"]))
        better_by_perplexity = 100 * (1 - perplexities[0] / perplexities[1])
        worse_by_bytes = 100 * (few / many - 1)
        disagreements.append(min(better_by_perplexity, worse_by_bytes))
    return Reproduced(
        name="bits-per-byte",
        title="Perplexities of different tokenizers cannot be compared",
        paper="gao2020",
        place="section 3.1",
        theirs=(
            'Bits per byte is preferred over perplexity "due to its invariance to different '
            'tokenization schemes".'
        ),
        ours=(
            "By at least how much the smallest vocabulary is both better by perplexity and worse "
            "by bits per byte"
        ),
        unit="%",
        digits=0,
        effect=Effect.of_starts(disagreements),
        rule=More(),
        script="scripts/measure_vocabularies.py",
        chapter="13_decoder_models",
        differs="Models of two layers, 160 updates, vocabularies of 371 and 8,000 pieces.",
    )


def packing_is_harmless() -> Reproduced:
    """Packed rows with a mask."""
    losses = load_measured("packing")["losses"]
    return Reproduced(
        name="packing",
        title="Packing with a mask costs nothing",
        paper="krell2021",
        place="title and abstract",
        theirs='Packing "without cross-contamination" does not change a model\'s performance.',
        ours="By how much the loss is lower with packed, masked rows than with a document a row",
        unit="%",
        digits=1,
        effect=percent_lower(losses[MASKED][ALONE], losses[ALONE][ALONE]),
        rule=NoWorse(),
        script="scripts/measure_packing.py",
        chapter="13_decoder_models",
        differs="A decoder of two layers on short sentences; theirs is BERT.",
    )


def contamination_hurts() -> Reproduced:
    """Packed rows without a mask."""
    losses = load_measured("packing")["losses"]
    return Reproduced(
        name="cross-contamination",
        title="Packed documents must not see each other",
        paper="krell2021",
        place="abstract",
        theirs="Cross-contamination in self-attention has to be avoided.",
        ours="By how much the loss is lower if packed rows have a document mask",
        unit="%",
        digits=1,
        effect=percent_lower(losses[MASKED][ALONE], losses[SHARED][ALONE]),
        rule=More(),
        script="scripts/measure_packing.py",
        chapter="13_decoder_models",
        differs="Short unrelated sentences, many of them in a row; theirs are long texts.",
    )


def shallow_decoder_is_fast() -> Reproduced:
    """Speed of a deep encoder with a shallow decoder."""
    speed = load_measured("deep_encoder")["speed in batches of 1"]
    return Reproduced(
        name="shallow-decoder-speed",
        title="A shallow decoder is faster",
        paper="kasai2021",
        place="abstract",
        theirs="Autoregressive translation can be sped up a lot by another division of the layers.",
        ours="Speed with 4 + 1 layers minus speed with 2 + 3, as multiples of 1 + 4",
        unit="×",
        digits=2,
        effect=by_start(speed["4 + 1"], speed["2 + 3"]),
        rule=More(),
        script="scripts/measure_deep_encoder.py",
        chapter="14_kv_cache",
        differs="Five layers in all, on a processor; theirs have up to 12 encoder layers.",
    )


def shallow_decoder_is_good() -> Reproduced:
    """Quality of a deep encoder with a shallow decoder."""
    bleu = load_measured("deep_encoder")["bleu"]
    return Reproduced(
        name="shallow-decoder-quality",
        title="A shallow decoder translates as well",
        paper="kasai2021",
        place="abstract",
        theirs=(
            'Translation is sped up "without loss in accuracy": with a sufficiently deep encoder, '
            "one decoder layer is enough."
        ),
        ours="BLEU with 4 + 1 layers minus BLEU with 2 + 3",
        unit="BLEU",
        digits=1,
        effect=by_start(bleu["4 + 1"], bleu["2 + 3"]),
        rule=NoWorse(),
        script="scripts/measure_deep_encoder.py",
        chapter="14_kv_cache",
        differs="Four encoder layers are not deep, 400 updates are few, and nothing is distilled.",
    )


def masks_only_frozen(study: str = STUDY) -> Reproduced:
    """Table 8: masks only, frozen features.

    Args:
        study: "masking_strategies", or "masking_longer" for four times as many updates.
    """
    return Reproduced(
        name="masks-only-frozen",
        title="Masks only make poor frozen features",
        paper="devlin2019",
        place="appendix C.2, Table 8",
        theirs="NER with frozen features: F1 of 94.9 with 80/10/10, and 94.0 with masks only.",
        ours="Accuracy of linear heads with 80/10/10 minus accuracy with masks only",
        unit="points",
        digits=1,
        effect=by_start(
            _judged("80/10/10", "frozen", study), _judged("100/0/0", "frozen", study), 100
        ),
        rule=More(),
        script="scripts/measure_masking.py",
        chapter="15_encoder_models",
        differs=f"{TINY}; 300 updates. After 1,200 updates the difference is smaller.",
    )


def fine_tuning_is_robust(study: str = STUDY) -> Reproduced:
    """Table 8: masks only, fine-tuned.

    Args:
        study: "masking_strategies", or "masking_longer" for four times as many updates.
    """
    return Reproduced(
        name="fine-tuning-robust",
        title="Fine-tuning forgives the masking strategy",
        paper="devlin2019",
        place="appendix C.2, Table 8",
        theirs=(
            'Fine-tuning is "surprisingly robust": MNLI 84.3 with masks only and 84.2 with '
            "80/10/10, NER 94.9 and 95.4."
        ),
        ours="Accuracy after fine-tuning with masks only minus accuracy with 80/10/10",
        unit="points",
        digits=1,
        effect=by_start(
            _judged("100/0/0", "fine-tuned", study), _judged("80/10/10", "fine-tuned", study), 100
        ),
        rule=NoWorse(),
        script="scripts/measure_masking.py",
        chapter="15_encoder_models",
        differs=f"{TINY}; 300 updates. After 1,200 updates the difference is smaller.",
    )


def random_only() -> Reproduced:
    """Table 8: random tokens only."""
    ours, random = (_judged(kind, "fine-tuned") for kind in ("80/10/10", "0/0/100"))
    return Reproduced(
        name="random-only",
        title="Random tokens only are much worse",
        paper="devlin2019",
        place="appendix C.2, Table 8",
        theirs='Random only "performs much worse": MNLI 83.6 instead of 84.2, NER 94.9 and 95.4.',
        ours="Accuracy after fine-tuning with 80/10/10 minus accuracy with random tokens only",
        unit="points",
        digits=1,
        effect=by_start(ours, random, 100),
        rule=More(),
        script="scripts/measure_masking.py",
        chapter="15_encoder_models",
        differs=f"{TINY}; 300 updates.",
    )


def forty_per_cent() -> Reproduced:
    """40 % masked."""
    fifteen = _judged("80/10/10", "fine-tuned")
    forty = _judged("40%", "fine-tuned", "masking_rates")
    return Reproduced(
        name="forty-per-cent",
        title="Masking 40% beats 15%",
        paper="wettig2023",
        place="abstract",
        theirs="40% outperforms 15% for models of the size of BERT-large, fine-tuned.",
        ours="Accuracy after fine-tuning with 40% minus accuracy with 15%",
        unit="points",
        digits=1,
        effect=by_start(forty, fifteen, 100),
        rule=More(),
        script="scripts/measure_masking.py",
        chapter="15_encoder_models",
        differs=f"{TINY}; 300 updates. The paper finds that larger models prefer higher rates.",
    )


def dynamic_masking() -> Reproduced:
    """New masks in every epoch."""
    dynamic = load_measured("masking_strategies")["kinds"]["80/10/10"]["blanks"]
    static = load_measured("masking_mistakes")["kinds"]["same masks every epoch"]["blanks"]
    return Reproduced(
        name="dynamic-masking",
        title="New masks in every epoch are at least as good",
        paper="liu2019",
        place="section 4.1, Table 1",
        theirs=(
            'Dynamic masking is "comparable or slightly better": SQuAD 78.7 against 78.3, MNLI '
            "84.0 against 84.3."
        ),
        ours="Blanks filled with new masks minus blanks filled with the same masks",
        unit="points",
        digits=1,
        effect=by_start(dynamic, static, 100),
        rule=NoWorse(),
        script="scripts/measure_masking.py",
        chapter="15_encoder_models",
        differs="Six epochs with one set of masks; their static masking has ten sets.",
    )


def _judged(kind: str, how: str, study: str = STUDY) -> list[float]:
    """The mean accuracy on parts of speech and roles in each start."""
    found = load_measured(study)["kinds"][kind]
    return means(found[f"{how} parts"], found[f"{how} roles"])


CLAIMS = (
    bits_per_byte,
    packing_is_harmless,
    contamination_hurts,
    shallow_decoder_is_fast,
    shallow_decoder_is_good,
    masks_only_frozen,
    fine_tuning_is_robust,
    random_only,
    forty_per_cent,
    dynamic_masking,
)
