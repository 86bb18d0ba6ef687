"""The exercise ``what_is_kept``: what a later step reads, and what spoils it (C11; chapter 14)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

Choices = dict[str, str]

_RIGHT: Choices = {
    "keys of self-attention": "grows",
    "queries of self-attention": "dropped",
    "values of self-attention": "grows",
    "weights of self-attention": "dropped",
    "outputs of self-attention": "dropped",
    "keys of cross-attention": "stays",
    "queries of cross-attention": "dropped",
    "logits": "dropped",
    "a token is appended": "valid",
    "the last token is taken back": "valid",
    "the second token is replaced": "spoilt",
    "the first token is removed, and the others move up": "spoilt",
    "the weights are updated": "spoilt",
    "the causal mask is taken away": "spoilt",
}
(_K, _Q, _V, _WEIGHTS, _OUTPUTS, _K_C, _Q_C, _LOGITS) = list(_RIGHT)[:8]
(_APPENDED, _BACK, _REPLACED, _MOVED, _UPDATED, _UNMASKED) = list(_RIGHT)[8:]


def correct() -> Choices:
    """Keys and values grow, those of the source stay, and nothing else is read again."""
    return dict(_RIGHT)


def _set(choice: str, *keys: str) -> Choices:
    """The right answer with another choice for some keys."""
    return correct() | dict.fromkeys(keys, choice)


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your answers have no names.

        Return a dictionary with the names of the question.
        """
        return list(correct().values())

    def capitals():
        """You wrote capitals. Write the words as they stand in the question, in small letters.

        The words are "grows", "stays", "dropped", "valid" and "spoilt".
        """
        return {name: choice.capitalize() for name, choice in correct().items()}

    def another_spelling():
        """You wrote "spoiled". The word of the question is "spoilt".

        Copy the words from the question.
        """
        right = correct().items()
        return {name: "spoiled" if choice == "spoilt" else choice for name, choice in right}

    def valid_and_spoilt_exchanged():
        """All six answers about changes are the other way round.

        A row is `"valid"` if you would compute the same row again.
        """
        others = {"valid": "spoilt", "spoilt": "valid"}
        return {name: others.get(choice, choice) for name, choice in correct().items()}

    def everything_grows():
        """You keep everything that is computed. A later step reads only a part of it.

        Write down attention for position t. What of positions 1 to t − 1 stands in it?
        """
        return _set("grows", _K, _Q, _V, _WEIGHTS, _OUTPUTS, _K_C, _Q_C, _LOGITS)

    def queries_grow():
        """You keep the queries of both attentions. Each query is used once, by its own row.

        Which q stands in the equation of output t?
        """
        return _set("grows", _Q, _Q_C)

    def queries_of_self_attention_grow():
        """You keep the queries of self-attention. Each query is used once, by its own row.

        Which q stands in the equation of output t?
        """
        return _set("grows", _Q)

    def queries_of_cross_attention_grow():
        """You keep the queries of cross-attention, and add to them at each step. Each query is used
        once, by its own row.

        In cross-attention, who asks at step t?
        """
        return _set("grows", _Q_C)

    def queries_stay():
        """You say that queries of self-attention are computed once and kept. Every new token has a
        query of its own, which is used at its step alone.

        Which q stands in the equation of output t?
        """
        return _set("stays", _Q)

    def queries_of_cross_attention_stay():
        """You say that the queries of cross-attention are computed before the first step. They come
        from the decoder's rows.

        Which side asks, and which side is asked?
        """
        return _set("stays", _Q_C)

    def cross_keys_grow():
        """You let the keys of cross-attention grow. They come from the source, which does not.

        What is multiplied by W_K in cross-attention?
        """
        return _set("grows", _K_C)

    def cross_keys_dropped():
        """You drop the keys of cross-attention, so every step has to compute them again.

        What are they made from, and does it change while a sentence is translated?
        """
        return _set("dropped", _K_C)

    def cross_sides_exchanged():
        """You exchanged the sides of cross-attention: its queries come from the decoder, and its
        keys from the source.

        Which side does not change while a sentence is translated?
        """
        return correct() | {_K_C: "dropped", _Q_C: "stays"}

    def keys_stay():
        """You say that the keys of self-attention are computed before the first step. The new token
        needs a key, too.

        Who will attend to the new token, and by what?
        """
        return _set("stays", _K)

    def values_stay():
        """You say that the values of self-attention are computed before the first step. The new
        token needs a value, too.

        Who will attend to the new token, and what will they take from it?
        """
        return _set("stays", _V)

    def keys_dropped():
        """You drop the keys of self-attention. Then the next query has nothing to be compared with.

        Write down the scores of position t. Which keys are in them?
        """
        return _set("dropped", _K)

    def values_dropped():
        """You drop the values of self-attention. The next output is a weighted mean of them.

        Write down the output of position t. Which values are in it?
        """
        return _set("dropped", _V)

    def weights_grow():
        """You keep the attention weights. The next query gets a row of weights of its own.

        Which row of the weights goes into output t?
        """
        return _set("grows", _WEIGHTS)

    def weights_stay():
        """You say that attention weights are computed once and kept. Each query makes a row of its
        own, and nobody reads an old row.

        Which row of the weights goes into output t?
        """
        return _set("stays", _WEIGHTS)

    def outputs_grow():
        """You keep the outputs of self-attention. They pass on through their own row only; the next
        layer keeps the keys and values that it makes there.

        Does a later position read old outputs, or something that was made from them?
        """
        return _set("grows", _OUTPUTS)

    def outputs_stay():
        """You say that outputs of self-attention are computed once and kept. A later step does not
        read them.

        Does a later position read old outputs, or something that was made from them?
        """
        return _set("stays", _OUTPUTS)

    def logits_grow():
        """You keep the logits. They have chosen their token, and no later position reads them.

        What of step t − 1 is the input of step t: the logits or the token?
        """
        return _set("grows", _LOGITS)

    def logits_stay():
        """You say that logits are computed once and kept. Each step has logits of its own.

        What of step t − 1 is the input of step t: the logits or the token?
        """
        return _set("stays", _LOGITS)

    def appending_spoils():
        """You say that a new token spoils the cache. Under the causal mask no earlier row changes.

        Which inputs does row i depend on?
        """
        return _set("spoilt", _APPENDED)

    def taking_back_spoils():
        """You say that the cache is spoilt when the last token is taken back. Earlier rows have
        never read it.

        Which inputs does row i depend on? Which row of the cache has to go?
        """
        return _set("spoilt", _BACK)

    def replacing_keeps():
        """You say that the cache stays valid when the second token is replaced. The rows of the
        replaced token and of all later ones have read it.

        Which rows depend on input 2?
        """
        return _set("valid", _REPLACED)

    def moving_up_keeps():
        """You say that the cache stays valid when the first token goes and the others move up.
        Their keys were made with their old positions, and they have read the first token.

        What was added to the rows before the first layer?
        """
        return _set("valid", _MOVED)

    def updating_keeps():
        """You say that the cache stays valid when the weights are updated. The old keys were made
        with the old W_K.

        Which matrix meets the next query: the W_K of then or that of now?
        """
        return _set("valid", _UPDATED)

    def unmasking_keeps():
        """You say that the cache stays valid without the causal mask. Then every row reads every
        token, so a new token changes all rows.

        Which inputs does row i depend on if nothing is hidden?
        """
        return _set("valid", _UNMASKED)

    def nothing_spoils():
        """You say that nothing spoils the cache.

        For each change, ask: would the same keys and values be computed again?
        """
        return _set("valid", _REPLACED, _MOVED, _UPDATED, _UNMASKED)

    def everything_spoils():
        """You say that every change spoils the cache. Then it would be of no use: each step appends
        a token.

        Which inputs does row i depend on?
        """
        return _set("spoilt", _APPENDED, _BACK)


class Right:
    """Right answers, written differently."""

    def by_rules():
        """By what each tensor is made from, and who reads it."""
        grows, stays = {_K, _V}, {_K_C}
        kept = {
            name: "grows" if name in grows else "stays" if name in stays else "dropped"
            for name in (_K, _Q, _V, _WEIGHTS, _OUTPUTS, _K_C, _Q_C, _LOGITS)
        }
        changes = {_APPENDED: 1, _BACK: 1, _REPLACED: 0, _MOVED: 0, _UPDATED: 0, _UNMASKED: 0}
        return kept | {name: "valid" if same else "spoilt" for name, same in changes.items()}

    def in_another_order():
        """The names in order of the alphabet."""
        return dict(sorted(correct().items()))

    def last_first():
        """The names in reverse order."""
        return dict(reversed(list(correct().items())))

    def changes_first():
        """The changes, and then the tensors."""
        answers = list(correct().items())
        return dict(answers[8:] + answers[:8])

    def by_choice():
        """Gathered by the words."""
        words = {
            "grows": [_V, _K],
            "stays": [_K_C],
            "dropped": [_LOGITS, _Q_C, _Q, _OUTPUTS, _WEIGHTS],
            "valid": [_BACK, _APPENDED],
            "spoilt": [_UNMASKED, _UPDATED, _MOVED, _REPLACED],
        }
        return {name: word for word, names in words.items() for name in names}


EXERCISE = Exercise(
    id="what_is_kept",
    oracle=correct,
    hint="For a tensor: does a later position read it, and does it change while the sentence is "
    "written? For a change: would the rows of the cache be computed again with the same numbers?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
