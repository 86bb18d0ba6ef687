"""The exercise ``greedy_until_end``: from rows of probabilities to a sentence (B20; chapter 11)."""

from __future__ import annotations

import itertools

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

SPECIAL = ["<PAD>", "<BOS>", "<EOS>"]
FRENCH = [*SPECIAL, "J'", "aime", "l'", "apprentissage", "profond"]
OTHER = ["ik", "leer", "graag", "</s>", "<EOS>", "<PAD>", "veel"]


def cases(draw: Draw) -> list[Case]:
    """Document B's eight rows; an end that comes first, last, never, or under another name."""

    def rows(winners, vocabulary=FRENCH, top=0.5):
        """Rows of probabilities in which these tokens win."""
        size = len(vocabulary)
        P = (1 - top) * draw.normal(len(winners), size, scale=0.7).softmax(-1)
        won = torch.tensor([vocabulary.index(word) for word in winners])
        return P + top * torch.nn.functional.one_hot(won, size).to(P.dtype)

    b = ["J'", "aime", "l'", "apprentissage", "profond", "<EOS>", "profond", "<EOS>"]
    few = [[0.1, 0.1, 0.3, 0.2, 0.1, 0.1, 0.05, 0.05], [0.0, 0.0, 0.45, 0.55, 0.0, 0.0, 0.0, 0.0]]
    few.append([0.15, 0.1, 0.35, 0.1, 0.1, 0.05, 0.05, 0.1])
    unsure = [[0.1, 0.1, 0.1, 0.1, 0.15, 0.3, 0.05, 0.1], few[1], few[2], [0.5, *7 * [0.5 / 7]]]
    return [
        Case("document B", (rows(b), FRENCH, "<EOS>"), by_hand=True),
        Case("no end", (rows(["aime", "l'", "profond"]), FRENCH, "<EOS>")),
        Case("the end at once", (rows(["<EOS>", "aime", "<EOS>"]), FRENCH, "<EOS>")),
        Case("the end in the last row", (rows(["J'", "aime", "<EOS>"]), FRENCH, "<EOS>")),
        Case("another end", (rows(["ik", "<EOS>", "leer", "</s>", "veel"], OTHER), OTHER, "</s>")),
        Case("padding is written", (rows(["J'", "<PAD>", "aime", "<EOS>"]), FRENCH, "<EOS>")),
        Case("a word twice", (rows(["J'", "J'", "aime", "J'", "<EOS>"]), FRENCH, "<EOS>")),
        Case("an unsure model", (draw.tensor(unsure), FRENCH, "<EOS>"), by_hand=True),
        Case("12 rows", (rows([*b[:4], *b[:5], "<BOS>", "<EOS>", "aime"]), FRENCH, "<EOS>")),
        Case("a single row", (rows(["aime"]), FRENCH, "<EOS>")),
        Case("12 rows without an end", (rows([*b[:5], *b[:5], "<PAD>", "l'"]), FRENCH, "<EOS>")),
    ]


def correct(P, vocabulary, end):
    """The most probable token of each row, up to the end."""
    best = _best(P, vocabulary)
    return (best[: best.index(end)], True) if end in best else (best, False)


def _best(P, vocabulary):
    return [vocabulary[i] for i in P.argmax(-1).tolist()]


class Wrong:
    """What learners write, the more particular before the more general."""

    def end_is_kept(P, vocabulary, end):
        """You write the end symbol as the last token. It ends the sentence and is not part of it.

        Document B writes <EOS> at position 5, and its final translation has five tokens.
        """
        best = _best(P, vocabulary)
        return (best[: best.index(end) + 1], True) if end in best else (best, False)

    def one_too_few(P, vocabulary, end):
        """When the end comes, the last token before it is missing.

        Where does your slice end? The upper limit of a slice is not included.
        """
        best = _best(P, vocabulary)
        return (best[: max(best.index(end) - 1, 0)], True) if end in best else (best, False)

    def stops_at_padding(P, vocabulary, end):
        """You also stop at <PAD>. Only `end` stops the writing.

        If a model gives <PAD> the highest probability, it is a token like any other.
        """
        found = list(itertools.takewhile(lambda w: w not in (end, "<PAD>"), _best(P, vocabulary)))
        return found, len(found) < len(P)

    def stops_at_padding_unfinished(P, vocabulary, end):
        """You also stop at <PAD>, without calling the sentence finished. Only `end` stops the
        writing.

        If a model gives <PAD> the highest probability, it is a token like any other.
        """
        found = list(itertools.takewhile(lambda w: w not in (end, "<PAD>"), _best(P, vocabulary)))
        return found, _best(P, vocabulary)[len(found) : len(found) + 1] == [end]

    def never_stops(P, vocabulary, end):
        """You write a token for every row, also after the end, and the end symbol with them.

        What should happen to the rows after the one that gives the end?
        """
        best = _best(P, vocabulary)
        return best, end in best

    def end_left_out(P, vocabulary, end):
        """You leave the end symbol out, but you go on writing after it.

        Leave the loop at the first end, or cut the list there.
        """
        best = _best(P, vocabulary)
        return [word for word in best if word != end], end in best

    def special_left_out_everywhere(P, vocabulary, end):
        """You leave out all symbols in angle brackets, and go on writing after the end.

        Only `end` has a meaning here. What should happen to the rows after it?
        """
        best = _best(P, vocabulary)
        return [word for word in best if not word.startswith("<")], end in best

    def special_left_out(P, vocabulary, end):
        """You leave out other special symbols, such as <PAD>.

        The question asks for the most probable token of each row, whatever it is.
        """
        words, finished = correct(P, vocabulary, end)
        return [word for word in words if not word.startswith("<")], finished

    def padding_left_out(P, vocabulary, end):
        """You leave out <PAD> where it is the most probable token.

        The question asks for the most probable token of each row, whatever it is.
        """
        words, finished = correct(P, vocabulary, end)
        return [word for word in words if word != "<PAD>"], finished

    def always_finished(P, vocabulary, end):
        """You always say that the sentence is finished, even if the end never comes.

        What is the second thing that you return when your loop runs through all rows?
        """
        return correct(P, vocabulary, end)[0], True

    def never_finished(P, vocabulary, end):
        """You never say that the sentence is finished.

        What is the second thing that you return when the end has come?
        """
        return correct(P, vocabulary, end)[0], False

    def finished_turned_round(P, vocabulary, end):
        """You have `finished` the wrong way round.

        It is True if the end has come.
        """
        words, finished = correct(P, vocabulary, end)
        return words, not finished

    def finished_by_the_last_row(P, vocabulary, end):
        """You call the sentence finished only if the *last* row gives the end.

        Look for the end in any row, as you do for the tokens.
        """
        return correct(P, vocabulary, end)[0], _best(P, vocabulary)[-1] == end

    def finished_by_length(P, vocabulary, end):
        """You call the sentence finished only if rows are left after the end.

        The end may come in the last row.
        """
        words, _ = correct(P, vocabulary, end)
        return words, len(words) < len(P) - 1

    def finished_if_anything_is_written(P, vocabulary, end):
        """You call every sentence finished that has a token, and no empty one.

        `finished` says whether the end has come. A sentence may be empty and finished.
        """
        words, _ = correct(P, vocabulary, end)
        return words, bool(words)

    def up_to_the_last_end(P, vocabulary, end):
        """You write up to the *last* end. The first one ends the sentence.

        A loop that does not stop at the first end overwrites where it was.
        """
        best = _best(P, vocabulary)
        if end not in best:
            return best, False
        last = len(best) - 1 - best[::-1].index(end)
        return best[:last], True

    def over_the_rows(P, vocabulary, end):
        """You look for the most probable row of each token. Look for the most probable token of
        each row.

        P has a row for each position and a column for each token. Which dimension does `argmax`
        need?
        """
        return correct(P.T, vocabulary, end)

    def least_probable(P, vocabulary, end):
        """You take the least probable token of each row.

        Do you sort, and take the first instead of the last?
        """
        return correct(-P, vocabulary, end)

    def second_best(P, vocabulary, end):
        """You take the second most probable token of each row.

        Do you sort, and take the wrong one of the last two?
        """
        best = P.argmax(-1, keepdim=True)
        return correct(P.scatter(-1, best, -1.0), vocabulary, end)

    def column_numbers(P, vocabulary, end):
        """You return the numbers of the columns. The tokens themselves are asked for.

        `vocabulary` says which token stands in which column.
        """
        words, finished = correct(P, vocabulary, end)
        return [vocabulary.index(word) for word in words], finished

    def probabilities(P, vocabulary, end):
        """You return the highest probabilities. The tokens that have them are asked for.

        `max` gives the number, `argmax` gives its column.
        """
        words, finished = correct(P, vocabulary, end)
        return P.max(-1).values[: len(words)].tolist(), finished

    def without_finished(P, vocabulary, end):
        """You return only the tokens. The question also asks whether the end has come.

        Return two things: `return tokens, finished`.
        """
        return correct(P, vocabulary, end)[0]

    def number_for_finished(P, vocabulary, end):
        """Your second value is the number of tokens. True or False is asked for.

        Has the end come, or have the rows run out before it?
        """
        words, _ = correct(P, vocabulary, end)
        return words, len(words)

    def one_text(P, vocabulary, end):
        """You return the sentence as one text. A list of tokens is asked for.

        Leave out the `join`.
        """
        words, finished = correct(P, vocabulary, end)
        return " ".join(words), finished

    def empty_without_an_end(P, vocabulary, end):
        """If the end never comes, you write nothing at all.

        What has been written stays, even if the limit is reached before the end.
        """
        words, finished = correct(P, vocabulary, end)
        return (words, True) if finished else ([], False)

    def none_without_an_end(P, vocabulary, end):
        """If the end never comes, you return None for the tokens.

        What has been written stays, even if the limit is reached before the end.
        """
        words, finished = correct(P, vocabulary, end)
        return (words, True) if finished else (None, False)

    def always_eos(P, vocabulary, end):
        """You look for "<EOS>", whatever `end` is.

        The third argument is the end symbol.
        """
        return correct(P, vocabulary, "<EOS>")

    def end_in_column_two(P, vocabulary, end):
        """You stop at the token of column 2, whatever `end` is.

        In which column does the end symbol stand? `vocabulary` tells.
        """
        return correct(P, vocabulary, vocabulary[2])

    def end_in_the_last_column(P, vocabulary, end):
        """You stop at the token of the last column, whatever `end` is.

        In which column does the end symbol stand? `vocabulary` tells.
        """
        return correct(P, vocabulary, vocabulary[-1])

    def stops_when_the_end_is_likely(P, vocabulary, end):
        """You stop where the end has a probability over 0.5. It is enough if no other token has
        more.

        Greedy decoding compares tokens with each other, and not with a threshold.
        """
        best, column = _best(P, vocabulary), vocabulary.index(end)
        at = next((i for i, row in enumerate(P) if row[column] > 0.5), None)
        return (best, False) if at is None else (best[:at], True)

    def sure_tokens_only(P, vocabulary, end):
        """You leave out tokens with a probability below 0.5.

        Greedy decoding writes the most probable token, however small its probability is.
        """
        words, finished = correct(P, vocabulary, end)
        sure = P.max(-1).values > 0.5
        return [word for word, is_sure in zip(words, sure, strict=False) if is_sure], finished

    def stops_when_the_end_is_possible(P, vocabulary, end):
        """You stop where the end has a probability over 0.4, even if another token has more.

        Greedy decoding compares tokens with each other, and not with a threshold.
        """
        best, column = _best(P, vocabulary), vocabulary.index(end)
        at = next((i for i, row in enumerate(P) if row[column] > 0.4), None)
        return (best, False) if at is None else (best[:at], True)

    def neighbours_merged(P, vocabulary, end):
        """You write a token once where it comes twice in a row.

        Each row writes a token, also if it is the same as before.
        """
        words, finished = correct(P, vocabulary, end)
        return [word for word, _ in itertools.groupby(words)], finished

    def each_once(P, vocabulary, end):
        """You write each token once, even if it comes again later.

        Each row writes a token, also one that was there before.
        """
        words, finished = correct(P, vocabulary, end)
        return list(dict.fromkeys(words)), finished

    def without_the_last_row(P, vocabulary, end):
        """You leave out the last row.

        How many rows are there? `range(m)` already ends at m − 1.
        """
        return correct(P[:-1], vocabulary, end)

    def without_the_first_row(P, vocabulary, end):
        """You leave out the first row, as if it gave <BOS>.

        <BOS> is read, not written. The first row gives the first token.
        """
        return correct(P[1:], vocabulary, end)

    def six_rows_at_most(P, vocabulary, end):
        """You look at no more than six rows.

        Six is the number of document B's predictions. P says how many rows there are.
        """
        return correct(P[:6], vocabulary, end)

    def eight_rows_at_most(P, vocabulary, end):
        """You look at no more than eight rows.

        Eight is document B's length. P says how many rows there are.
        """
        return correct(P[:8], vocabulary, end)

    def begins_with_bos(P, vocabulary, end):
        """Your sentence begins with <BOS>. The decoder reads it and does not write it.

        With which list does your loop begin?
        """
        words, finished = correct(P, vocabulary, end)
        return ["<BOS>", *words], finished

    def filled_with_padding(P, vocabulary, end):
        """After the end you go on with padding, up to the number of rows.

        The sentence ends where it ends: return only its tokens.
        """
        words, finished = correct(P, vocabulary, end)
        return words + ["<PAD>"] * (len(P) - len(words)), finished

    def backwards(P, vocabulary, end):
        """The tokens are right, but they stand in reverse order.

        The first row gives the first token.
        """
        words, finished = correct(P, vocabulary, end)
        return words[::-1], finished

    def only_the_last(P, vocabulary, end):
        """You return only the last token.

        Collect the tokens in a list, instead of overwriting one name.
        """
        words, finished = correct(P, vocabulary, end)
        return words[-1:], finished

    def only_the_first(P, vocabulary, end):
        """You return only the first token.

        Is there a `return` inside your loop?
        """
        words, finished = correct(P, vocabulary, end)
        return words[:1], finished

    def never_finds_the_end(P, vocabulary, end):
        """You write a token for every row, and never notice the end.

        `end` is a token. Do you compare it with a token, or with the number of a column?
        """
        return _best(P, vocabulary), False

    def error_without_an_end(P, vocabulary, end):
        """If the end never comes, your function stops with an error.

        `index` needs something to find. What do you return if no row gives the end?
        """
        best = _best(P, vocabulary)
        return best[: best.index(end)], True

    def over_everything(P, vocabulary, end):
        """You look for the largest number in the whole of P. Its number counts through all rows, so
        it is not a column.

        Give `argmax` the dimension of the columns, or take the rows one by one.
        """
        word = vocabulary[int(P.argmax())]
        return ([], True) if word == end else ([word], False)

    def text_of_the_tokens(P, vocabulary, end):
        """You return the tokens as one text without blanks. A list of tokens is asked for.

        `+=` with a text makes a longer text; `append` makes a longer list.
        """
        words, finished = correct(P, vocabulary, end)
        return "".join(words), finished

    def stops_where_it_is_unsure(P, vocabulary, end):
        """You stop where the most probable token has less than 0.5.

        Greedy decoding writes the most probable token, however small its probability is.
        """
        words, finished = correct(P, vocabulary, end)
        unsure = [i for i, row in enumerate(P[: len(words)]) if row.max() < 0.5]
        return (words[: unsure[0]], True) if unsure else (words, finished)

    def bos_and_padding_left_out(P, vocabulary, end):
        """You leave out <BOS> and <PAD> where they are the most probable token.

        The question asks for the most probable token of each row, whatever it is.
        """
        words, finished = correct(P, vocabulary, end)
        return [word for word in words if word not in ("<BOS>", "<PAD>")], finished

    def last_lost_without_an_end(P, vocabulary, end):
        """If the end never comes, the last token is missing.

        Do you use −1 for "not found"? In a slice, −1 stands for the last place.
        """
        words, finished = correct(P, vocabulary, end)
        return (words, True) if finished else (words[:-1], False)

    def runs_past_the_rows(P, vocabulary, end):
        """If the end never comes, your function goes on past the last row and stops with an error.

        A loop has two reasons to stop here. Which is the second?
        """
        best = _best(P, vocabulary)
        if end not in best:
            raise IndexError(f"index {len(P)} is out of bounds")
        return best[: best.index(end)], True

    def empty_is_unfinished(P, vocabulary, end):
        """If the end comes at once, you call the sentence unfinished. It is empty, and finished.

        Do you ask whether a number or a list is 0 or empty, where you should ask whether the end
        came?
        """
        words, finished = correct(P, vocabulary, end)
        return words, finished and bool(words)


class Right:
    """Right answers, written differently."""

    def in_a_loop(P, vocabulary, end):
        """Writes a token for each row, and leaves at the end."""
        words = []
        for row in P:
            word = vocabulary[int(torch.argmax(row))]
            if word == end:
                return words, True
            words.append(word)
        return words, False

    def with_takewhile(P, vocabulary, end):
        """Takes tokens while they are not the end."""
        words = list(itertools.takewhile(lambda word: word != end, _best(P, vocabulary)))
        return words, len(words) < len(P)

    def over_columns(P, vocabulary, end):
        """Finds the end among the columns first."""
        ids = P.max(dim=1).indices
        hits = (ids == vocabulary.index(end)).nonzero().flatten().tolist()
        stop = hits[0] if hits else len(ids)
        return [vocabulary[int(i)] for i in ids[:stop]], bool(hits)

    def with_plain_lists(P, vocabulary, end):
        """Python's own max over pairs."""
        words = []
        for row in P.tolist():
            _, word = max(zip(row, vocabulary, strict=True))
            words.append(word)
        finished = end in words
        return words[: words.index(end)] if finished else words, finished

    def while_true(P, vocabulary, end):
        """A counter, and two ways out."""
        words, i = [], 0
        while i < len(P):
            best = vocabulary[P[i].topk(1).indices.item()]
            if best == end:
                break
            words += [best]
            i += 1
        return words, i < len(P)

    def with_numpy(P, vocabulary, end):
        """NumPy's argmax, and an iterator that stops at the end."""
        best = iter([vocabulary[i] for i in P.numpy().argmax(axis=1)] + [None])
        words = []
        for word in best:
            if word in (end, None):
                return words, word is not None
            words.append(word)
        return words, False


EXERCISE = Exercise(
    id="greedy_until_end",
    oracle=correct,
    hint="For each row, in order: which token has the highest probability? If it is `end`, stop. "
    "Otherwise write it. What do you return if no row gives the end?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
