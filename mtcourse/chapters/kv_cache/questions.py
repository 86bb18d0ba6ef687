"""The questions of chapter 14."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from mtcourse.chapters.kv_cache.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _output(step: Any) -> str:
    return f"{step[0].item():g}"


def _first_keys(mask: Tensor) -> str:
    """To how many keys the first new token may attend."""
    return f"{int(mask[0, 0, 0].sum())}"


def _keys(moved: Any) -> str:
    return ", ".join(f"{key:g}" for key in moved[0].flatten().tolist())


_X = torch.ones(1, 1)
_STEP_CASE = (
    _X,
    torch.zeros(1, 1),
    _X,
    torch.full((1, 1), 9.0),
    torch.tensor([[1.0], [3.0]]),
    torch.tensor([[2.0], [4.0]]),
)
_STEP = _KNOWN["attention_step"]

_CHUNK_CASE = (torch.ones(1, 8, dtype=torch.bool), 3)
_CHUNK = _KNOWN["chunk_mask"]

_MEGABYTES, _HEADS, _GROUPS = 800, 16, 4
_OF_GROUPS = _MEGABYTES * _GROUPS // _HEADS

_PAST = torch.tensor([10.0, 20.0, 30.0]).reshape(3, 1, 1, 1)
_BEAMS_CASE = (_PAST, _PAST, torch.tensor([[1, 2, 1]]))
_BEAMS = _KNOWN["beams_move"]

QUESTIONS = (
    Question(
        "a step with a cache",
        "A cache holds two positions with the values 2 and 4. The new token has the value 9, and "
        "its query is 0, so all its scores are equal. What is its attention output?",
        _output(_STEP.oracle(*_STEP_CASE)),
        "The new token attends to all positions so far, its own included: the mean of 2, 4 and 9.",
        (
            mistake_of(
                _STEP,
                "old_rows_alone",
                _STEP_CASE,
                _output,
                "You took the mean of the cached values. The new token's key and value are "
                "appended before it attends.",
            ),
            mistake_of(
                _STEP,
                "new_token_alone",
                _STEP_CASE,
                _output,
                "You let the new token attend to itself alone. What is the cache for?",
            ),
            mistake_of(
                _STEP,
                "first_key_alone",
                _STEP_CASE,
                _output,
                "You let the new token attend to the first position only, as if a causal mask "
                "began at the top left.",
            ),
        ),
    ),
    Question(
        "a chunk behind a cache",
        "A cache holds 5 positions, and 3 new tokens come in one pass. There is no padding. To how "
        "many keys may the *first* of the new tokens attend?",
        _first_keys(_CHUNK.oracle(*_CHUNK_CASE)),
        "It stands at position 6 of 8, so it may attend to the 5 cached positions and to itself.",
        (
            mistake_of(
                _CHUNK,
                "top_left",
                _CHUNK_CASE,
                _first_keys,
                "Your triangle begins at the top left, as if the new tokens stood at the start of "
                "the text. Where do they stand?",
            ),
            mistake_of(
                _CHUNK,
                "nothing_hidden",
                _CHUNK_CASE,
                _first_keys,
                "You let it attend to the two tokens behind it, too. In a chunk of several tokens "
                "the causal mask still matters.",
            ),
            mistake_of(
                _CHUNK,
                "not_itself",
                _CHUNK_CASE,
                _first_keys,
                "You counted the cache alone. May a token attend to itself?",
            ),
        ),
    ),
    Question(
        "a smaller cache",
        f"The cache of a model with {_HEADS} heads takes {_MEGABYTES} MB in float32. How much does "
        f"it take in bfloat16 with {_GROUPS} groups of heads, if nothing else changes?",
        f"{_OF_GROUPS // 2} MB",
        f"Only {_GROUPS} sets of keys and values are left of {_HEADS}, and each number has 2 bytes "
        "instead of 4.",
        (
            Mistake(
                f"{_OF_GROUPS} MB",
                "You counted the groups, but not the format. How many bytes has a number in "
                "float32, and how many in bfloat16?",
                "cache_memory.bfloat16_as_large",
            ),
            Mistake(
                f"{_OF_GROUPS // 4} MB",
                "You took 1 byte for a number in bfloat16. It has 16 bits.",
                "cache_memory.bfloat16_of_one_byte",
            ),
            Mistake(
                f"{_MEGABYTES // 2} MB",
                "You counted the format, but not the groups. How many heads share a set of keys "
                "and values?",
                "cache_memory.groups_save_nothing",
            ),
        ),
    ),
    Question(
        "a text of twice the length",
        "Look at one step, and only at the scores and the weighted means of the values. By which "
        "factor do their multiplications grow if t doubles?",
        "2 with a cache, 4 without",
        "With a cache one query meets t keys. Without one, t queries meet t keys.",
        (
            Mistake(
                "1 with a cache, 2 without",
                "A cache saves rows, but the new query still meets every key.",
                "products_saved.attention_of_one_step_cached",
            ),
            Mistake(
                "2 with a cache, 2 without",
                "Without a cache you counted one query. How many rows does a step compute then?",
                "products_saved.one_query_without_a_cache",
            ),
            Mistake(
                "4 with a cache, 4 without",
                "With a cache you counted t queries. How many new queries does a step have?",
                "products_saved.square_of_pairs_cached",
            ),
        ),
    ),
    Question(
        "beams change places",
        "Three beams are rows of a batch, and their caches hold the keys 10, 20 and 30. The new "
        "beams continue the second, the third and the second of them, in this order. Which keys "
        "do they need?",
        _keys(_BEAMS.oracle(*_BEAMS_CASE)),
        "Each new beam gets a copy of its parent's cache, and a parent may be needed twice.",
        (
            mistake_of(
                _BEAMS,
                "nothing_moves",
                _BEAMS_CASE,
                _keys,
                "The caches stayed where they were. New beam 1 would then continue its text with "
                "the keys of another one.",
            ),
            mistake_of(
                _BEAMS,
                "sorted_parents",
                _BEAMS_CASE,
                _keys,
                "You have the right keys, but in sorted order. The order of the parents says which "
                "new beam continues which text.",
            ),
            mistake_of(
                _BEAMS,
                "best_beam_for_all",
                _BEAMS_CASE,
                _keys,
                "You gave the first beam's parent to all of them. Each new beam has a parent of "
                "its own.",
            ),
        ),
    ),
    Question(
        "a prompt that goes wrong",
        "A model was trained well. With a cache and greedy search it continues a prompt of one "
        "token correctly. With a longer prompt the text drifts off. What explains both?",
        "The prefill runs without the causal mask.",
        "With one token there is nothing to hide. In a longer prompt, tokens attend to later ones, "
        "and the wrong keys and values of the deeper layers stay in the cache.",
        (
            Mistake(
                "The queries of the prompt are not in the cache.",
                "They need not be: each query is used once, for the output of its own position.",
                "cache_lines.queries_not_appended",
            ),
            Mistake(
                "Each new token attends to the first key only.",
                "Then a prompt of one token would go wrong as well, from the second new token on.",
                "chunk_mask.top_left",
            ),
            Mistake(
                "The keys and values do not follow the beams.",
                "Greedy search has a single beam, which never changes places.",
                "beams_move.nothing_moves",
            ),
        ),
    ),
)
