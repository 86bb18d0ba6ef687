"""Your translator. The task: book/project_part_2.md, "Project: from an empty file to a translator".

    mtcourse project projects/part_2/translator.py --split dev --minutes 0.5

trains it for half a CPU-minute, and scores it.
"""

from collections.abc import Sequence
from typing import Any

from mtcourse.text.pairs import SentencePair


def train(pairs: Sequence[SentencePair], seconds: float, seed: int) -> Any:
    """Learns from sentence pairs, and returns whatever ``translate`` needs.

    Args:
        pairs: ``pair.source`` is an English sentence, ``pair.target`` its Dutch translation.
        seconds: the CPU time that this call may use, as ``time.process_time()`` counts it.
        seed: from which everything random is drawn.
    """
    raise NotImplementedError(
        "train is not written yet: it learns from pairs, and returns what translate needs"
    )


def translate(trained: Any, sentences: Sequence[str]) -> list[str]:
    """Returns a Dutch translation for each English sentence, in the same order.

    Args:
        trained: what ``train`` returned.
        sentences: English sentences that training has not seen.
    """
    raise NotImplementedError(
        "translate is not written yet: it returns one translation for each sentence"
    )
