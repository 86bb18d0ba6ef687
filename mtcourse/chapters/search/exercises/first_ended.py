"""The exercise ``first_ended``: exact search with a bound (C14; chapter 18)."""

from __future__ import annotations

import heapq
import itertools
import math
from queue import PriorityQueue

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

END = 0


def cases(draw: Draw) -> list[Case]:
    """By hand; bounds that save work, and that nothing exceeds; short and longer sentences."""
    trap = draw.tensor([[0.1, 0.5, 0.4], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]]).log()
    deep = draw.tensor(
        [
            [0.02, 0.34, 0.33, 0.31],
            [0.10, 0.30, 0.30, 0.30],
            [0.15, 0.35, 0.25, 0.25],
            [0.05, 0.05, 0.88, 0.02],
        ]
    ).log()
    early = draw.tensor([[0.2, 0.75, 0.05], [0.3, 0.1, 0.6], [0.35, 0.6, 0.05]]).log()
    loop = draw.tensor([[0.01, 0.98, 0.01], [0.02, 0.95, 0.03], [0.5, 0.25, 0.25]]).log()
    return [
        Case("3 tokens, up to 3", (trap, 3, math.log(0.15)), by_hand=True),
        Case("no bound", (trap, 3, -math.inf)),
        Case("nothing is above the bound", (trap, 3, float(trap[0, 2]))),
        Case("one word is above the bound, and no sentence", (trap, 3, math.log(0.45))),
        Case("4 tokens, up to 5", (deep, 5, -8.0)),
        Case("4 tokens, a tight bound", (deep, 5, -3.2)),
        Case("an end that is found early", (early, 4, -6.0)),
        Case("a word that repeats itself", (loop, 6, -10.0)),
        Case("only the empty sentence fits", (trap, 1, -5.0)),
        Case("the only sentence is equal to the bound", (trap, 1, float(trap[0, 0]))),
        Case("5 random tokens, up to 5", (_random(draw, 5), 5, -20.0)),
        Case("6 random tokens, up to 4", (_random(draw, 6), 4, -20.0)),
        Case("4 random tokens, a bound that may be too high", (_random(draw, 4), 4, -2.5)),
    ]


def _random(draw, K):
    return draw.normal(K, K, scale=1.5).log_softmax(-1)


def _priority(total, newest_log_p, ids):
    return -total


def _search(
    log_p,
    longest,
    bound,
    priority=_priority,
    stop_when_made=False,
    only_words=0,
    dropping=True,
    endless=False,
    once=False,
):
    """Best-first search with one part replaced: tokens, expansions, additions to the queue."""
    order, expanded, added, seen = itertools.count(), 0, 1, set()
    waiting = [(0.0, next(order), [], 0.0)]
    while waiting:
        _, _, ids, total = heapq.heappop(waiting)
        if ids[-1:] == [END]:
            return ids, expanded, added
        newest = ids[-1] if ids else END
        if once and ids and newest in seen:
            continue
        seen.add(newest)
        expanded += 1
        last = len(ids) + 1 - only_words >= longest and not endless
        for k in range(1 if last else len(log_p)):
            step = float(log_p[newest, k])
            if dropping and not total + step > bound:
                continue
            if stop_when_made and k == END:
                return [*ids, k], expanded, added + 1
            heapq.heappush(
                waiting,
                (priority(total + step, step, [*ids, k]), next(order), [*ids, k], total + step),
            )
            added += 1
    return [], expanded, added


def correct(log_p, longest, bound):
    """Expands the most probable prefix, until an end comes to the front."""
    return _search(log_p, longest, bound)[:2]


class Wrong:
    """What learners write, the more particular before the more general."""

    def end_that_is_made(log_p, longest, bound):
        """You stop at the first end that is *put into* the queue. Prefixes that wait may still
        lead to something better.

        An end is proved when it is *taken out*, as the most probable of all that wait.
        """
        return _search(log_p, longest, bound, stop_when_made=True)[:2]

    def level_by_level(log_p, longest, bound):
        """You expand the shortest prefix first. This is breadth-first search, and its first end
        proves nothing.

        Order the queue by log-probability.
        """
        return _search(log_p, longest, bound, lambda total, step, ids: len(ids) - total / 1e6)[:2]

    def depth_first(log_p, longest, bound):
        """You expand the longest prefix first. The first end that this finds proves nothing.

        Order the queue by log-probability.
        """
        return _search(log_p, longest, bound, lambda total, step, ids: -len(ids) - total / 1e6)[:2]

    def all_above_the_bound(log_p, longest, bound):
        """You find the best sentence, but you expand every prefix above the bound. You may stop
        when an end comes to the front of the queue.

        Everything that still waits is less probable already.
        """
        _, expanded, _ = _search(
            log_p,
            longest,
            bound,
            lambda total, step, ids: 1e9 if ids[-1] == END else -total,
        )
        return correct(log_p, longest, bound)[0], expanded

    def least_probable_first(log_p, longest, bound):
        """You expand the *least* probable prefix first.

        `heapq` takes the smallest: put in −log p, the cost.
        """
        return _search(log_p, longest, bound, lambda total, step, ids: total)[:2]

    def by_the_last_token(log_p, longest, bound):
        """You order the queue by the log-probability of the last token alone.

        The cost of a prefix is the sum over all its tokens.
        """
        return _search(log_p, longest, bound, lambda total, step, ids: -step)[:2]

    def by_the_mean(log_p, longest, bound):
        """You order the queue by the mean per token. A mean can rise, so an end at the front of
        such a queue proves nothing.

        Order it by the sum, which only falls.
        """
        return _search(log_p, longest, bound, lambda total, step, ids: -total / len(ids))[:2]

    def ends_last(log_p, longest, bound):
        """You take ends out of the queue in the order in which they were put in.

        Ends and prefixes wait in one queue, ordered by log p.
        """
        ids, expanded, _ = _search(
            log_p,
            longest,
            bound,
            lambda total, step, ids: 1e9 if ids[-1] == END else -total,
        )
        return ids, expanded

    def each_token_once(log_p, longest, bound):
        """You expand each token once only, as for the shortest way between places. Two prefixes
        with the same last token are different prefixes.

        What waits in the queue are prefixes. None of them comes twice.
        """
        return _search(log_p, longest, bound, once=True)[:2]

    def bound_ignored(log_p, longest, bound):
        """You ignore the bound: you return a sentence that is not above it.

        What is not above the bound does not enter the queue.
        """
        return _search(log_p, longest, bound, dropping=False)[:2]

    def bound_for_ends_alone(log_p, longest, bound):
        """You compare only ends with the bound. A prefix that is not above it can lead to nothing
        that is.

        Drop prefixes as well.
        """
        ids, expanded, _ = _search(log_p, longest, bound, dropping=False)
        if correct(log_p, longest, bound)[0]:
            return ids, expanded
        order, count = itertools.count(), 0
        waiting = [(0.0, next(order), [])]
        while waiting:
            cost, _, prefix = heapq.heappop(waiting)
            count += 1
            newest = prefix[-1] if prefix else END
            for k in range(1, len(log_p) if len(prefix) + 1 < longest else 1):
                heapq.heappush(waiting, (cost - float(log_p[newest, k]), next(order), [*prefix, k]))
        return [], count

    def end_not_counted(log_p, longest, bound):
        """Your sentences may have `longest` tokens *before* `<eos>`.

        `longest` counts all tokens of a sentence, `<eos>` included.
        """
        return _search(log_p, longest, bound, only_words=1)[:2]

    def one_too_short(log_p, longest, bound):
        """Your longest sentences have one token less than is allowed.

        A prefix of longest − 1 tokens may still end.
        """
        return _search(log_p, longest, bound, only_words=-1)[:2]

    def no_longest(log_p, longest, bound):
        """You forgot the longest length.

        A prefix of longest − 1 tokens can only end.
        """
        return _search(log_p, longest, bound, endless=True)[:2]

    def table_turned(log_p, longest, bound):
        """You read the table with rows and columns exchanged.

        The row is the newest token, the column is the next one: `log_p[newest, next]`.
        """
        return _search(log_p.T, longest, bound)[:2]

    def end_counted_too(log_p, longest, bound):
        """You counted the end that came to the front as expanded.

        Count a prefix when you look up its row of next tokens.
        """
        ids, expanded = correct(log_p, longest, bound)
        return ids, expanded + bool(ids)

    def start_not_counted(log_p, longest, bound):
        """You did not count the empty prefix, whose row is looked up first.

        Row 0 of the table is looked up for the start.
        """
        ids, expanded = correct(log_p, longest, bound)
        return ids, expanded - 1

    def additions_counted(log_p, longest, bound):
        """You counted what is put into the queue. Most of that is never expanded.

        Count a prefix when you look up its row of next tokens.
        """
        ids, _, added = _search(log_p, longest, bound)
        return ids, added

    def additions_without_the_start(log_p, longest, bound):
        """You counted what is put into the queue after the start. Most of that is never expanded.

        Count a prefix when you look up its row of next tokens.
        """
        ids, _, added = _search(log_p, longest, bound)
        return ids, added - 1

    def without_the_end(log_p, longest, bound):
        """You return the sentence without its `<eos>`.

        The last token of each sentence is 0.
        """
        ids, expanded = correct(log_p, longest, bound)
        return ids[:-1], expanded

    def with_the_start(log_p, longest, bound):
        """You return the start token in front of the sentence.

        Return only what was generated, `<eos>` included.
        """
        ids, expanded = correct(log_p, longest, bound)
        return [END, *ids] if ids else ids, expanded

    def count_first(log_p, longest, bound):
        """You return the right things in the wrong order.

        First the tokens, then the number of expanded prefixes.
        """
        return correct(log_p, longest, bound)[::-1]

    def sentence_alone(log_p, longest, bound):
        """You return the tokens alone. The number of expanded prefixes is asked for, too.

        Return two things.
        """
        return correct(log_p, longest, bound)[0]

    def at_the_bound_too(log_p, longest, bound):
        """You keep what is *equal* to the bound. It is no better than what a beam search has found
        already.

        Only what is above the bound enters the queue.
        """
        return _search(log_p, longest, math.nextafter(bound, -math.inf))[:2]

    def bound_at_the_end(log_p, longest, bound):
        """You compare with the bound when the search is over. It should save work: what is not
        above it never enters the queue.

        Compare before you put something into the queue.
        """
        ids, expanded, _ = _search(log_p, longest, -math.inf)
        total = sum(float(log_p[a, b]) for a, b in itertools.pairwise([END, *ids]))
        return (ids if total > bound else []), expanded

    def bound_for_prefixes_alone(log_p, longest, bound):
        """You compare only prefixes with the bound, and not finished sentences.

        A sentence that is not above the bound is left out, too.
        """
        waiting, expanded = [(0.0, [])], 0
        while waiting:
            cost, ids = heapq.heappop(waiting)
            if ids[-1:] == [END]:
                return ids, expanded
            expanded += 1
            for k in range(len(log_p) if len(ids) + 1 < longest else 1):
                further = cost - float(log_p[ids[-1] if ids else END, k])
                if k == END or -further > bound:
                    heapq.heappush(waiting, (further, [*ids, k]))
        return [], expanded

    def greedy(log_p, longest, bound):
        """This is greedy search: you follow the most probable token, and look at nothing else.

        Put *all* continuations into the queue, and take out the most probable prefix of all.
        """
        ids, total = [], 0.0
        while ids[-1:] != [END]:
            row = log_p[ids[-1] if ids else END]
            k = int(row.argmax()) if len(ids) + 1 < longest else END
            ids, total = [*ids, k], total + float(row[k])
        return (ids if total > bound else []), len(ids)

    def costs_begin_anew(log_p, longest, bound):
        """Each of your prefixes has the cost of its last token alone. What came before it is lost.

        Add the token's cost to that of the prefix.
        """
        waiting, expanded = [(0.0, [])], 0
        while waiting and expanded < 10_000:
            _, ids = heapq.heappop(waiting)
            if ids[-1:] == [END]:
                return ids, expanded
            expanded += 1
            for k in range(len(log_p) if len(ids) + 1 < longest else 1):
                step = float(log_p[ids[-1] if ids else END, k])
                if step > bound:
                    heapq.heappush(waiting, (-step, [*ids, k]))
        return [], expanded

    def none_without_a_sentence(log_p, longest, bound):
        """You return None where no sentence is above the bound. Asked for is an empty list.

        Return `[]` when the queue is empty.
        """
        ids, expanded = correct(log_p, longest, bound)
        return ids or None, expanded

    def end_without_a_sentence(log_p, longest, bound):
        """You return `[0]` where no sentence is above the bound. That is the empty *sentence*.

        Return an empty list when the queue is empty.
        """
        ids, expanded = correct(log_p, longest, bound)
        return ids or [END], expanded

    def log_p_for_the_count(log_p, longest, bound):
        """You return the log-probability of the sentence. Asked for is how many prefixes were
        expanded.

        Count 1 whenever you look up a row.
        """
        ids, _ = correct(log_p, longest, bound)
        return ids, sum(float(log_p[a, b]) for a, b in itertools.pairwise([END, *ids]))

    def full_prefixes_not_counted(log_p, longest, bound):
        """You do not count prefixes of longest − 1 tokens. Their row is looked up as well, although
        only the end is taken from it.

        Count every prefix that comes out of the queue.
        """
        waiting, expanded = [(0.0, [])], 0
        while waiting:
            cost, ids = heapq.heappop(waiting)
            if ids[-1:] == [END]:
                return ids, expanded
            full = len(ids) + 1 >= longest
            expanded += not full
            for k in range(1 if full else len(log_p)):
                further = cost - float(log_p[ids[-1] if ids else END, k])
                if -further > bound:
                    heapq.heappush(waiting, (further, [*ids, k]))
        return [], expanded

    def dead_ends_not_counted(log_p, longest, bound):
        """You do not count a prefix that has no continuation above the bound. Its row was looked
        up, too.

        Count before you look at the continuations.
        """
        waiting, expanded = [(0.0, [])], 0
        while waiting:
            cost, ids = heapq.heappop(waiting)
            if ids[-1:] == [END]:
                return ids, expanded
            before = len(waiting)
            for k in range(len(log_p) if len(ids) + 1 < longest else 1):
                further = cost - float(log_p[ids[-1] if ids else END, k])
                if -further > bound:
                    heapq.heappush(waiting, (further, [*ids, k]))
            expanded += len(waiting) > before
        return [], expanded


class Right:
    """Right answers, written differently."""

    def with_a_sorted_list(log_p, longest, bound):
        """A list in place of a heap."""
        waiting, expanded = [(0.0, [])], 0
        while waiting:
            waiting.sort(key=lambda each: each[0])
            total, ids = waiting.pop()
            if ids and ids[-1] == 0:
                return ids, expanded
            expanded += 1
            row = log_p[ids[-1] if ids else 0]
            choices = range(len(row)) if len(ids) < longest - 1 else [0]
            waiting += [
                (total + float(row[k]), [*ids, k]) for k in choices if total + float(row[k]) > bound
            ]
        return [], expanded

    def by_recursion(log_p, longest, bound):
        """Enumerates what is above the bound, and counts what had to be expanded."""
        prefixes, ends = [], []

        def visit(ids, total):
            prefixes.append(total)
            row = log_p[ids[-1] if ids else 0]
            for k in range(len(row)):
                further = total + float(row[k])
                if further > bound and k == 0:
                    ends.append((further, [*ids, 0]))
                elif further > bound and len(ids) + 1 < longest:
                    visit([*ids, k], further)

        visit([], 0.0)
        if not ends:
            return [], len(prefixes)
        best, ids = max(ends)
        return ids, sum(total > best for total in prefixes)

    def bound_that_tightens(log_p, longest, bound):
        """Each end that is found is the next bound."""
        waiting, best, expanded = [(0.0, ())], (), 0
        while waiting:
            cost, ids = heapq.heappop(waiting)
            if -cost <= bound:
                break
            expanded += 1
            newest = ids[-1] if ids else 0
            for k in range(len(log_p)):
                total = float(log_p[newest, k]) - cost
                if total > bound and k == 0:
                    bound, best = total, (*ids, 0)
                elif total > bound and len(ids) + 1 < longest:
                    heapq.heappush(waiting, (-total, (*ids, k)))
        return list(best), expanded

    def with_max(log_p, longest, bound):
        """Looks for the best of a dictionary."""
        waiting, expanded = {(): 0.0}, 0
        while waiting:
            ids = max(waiting, key=waiting.get)
            total = waiting.pop(ids)
            if ids[-1:] == (0,):
                return list(ids), expanded
            expanded += 1
            for k, step in enumerate(log_p[ids[-1] if ids else 0].tolist()):
                if total + step > bound and (k == 0 or len(ids) < longest - 1):
                    waiting[(*ids, k)] = total + step
        return [], expanded

    def with_a_priority_queue(log_p, longest, bound):
        """A queue from the standard library."""
        waiting, expanded = PriorityQueue(), 0
        waiting.put((0.0, ()))
        while not waiting.empty():
            cost, ids = waiting.get()
            if 0 in ids:
                return list(ids), expanded
            expanded += 1
            for k in [0] if len(ids) == longest - 1 else range(log_p.shape[1]):
                further = cost - log_p[ids[-1] if ids else 0, k].item()
                if -further > bound:
                    waiting.put((further, (*ids, k)))
        return [], expanded


EXERCISE = Exercise(
    id="first_ended",
    oracle=correct,
    hint="Keep a queue of pairs (−log p, prefix). Take the smallest out. If it ends, it is the "
    "answer. If not, count it, and put in all its continuations that are above the bound.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
