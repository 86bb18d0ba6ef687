"""The cache is a value: nothing that is done to a later one changes an earlier one."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.layers.kv_cache import KeyValueCache


def columns(sentences: int, added: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    K, V = (torch.randn(sentences, 2, added, 3, generator=generator) for _ in range(2))
    return K, V


@settings(max_examples=40, deadline=None)
@given(added=st.lists(st.integers(1, 4), min_size=1, max_size=6), capacity=st.integers(0, 8))
def test_appending_is_concatenating(added, capacity):
    cache = KeyValueCache.empty(2, 2, 3, capacity, like=torch.zeros(()))
    parts = [columns(2, count, seed) for seed, count in enumerate(added)]
    for K, V in parts:
        cache = cache.append(K, V)
    assert cache.length == sum(added)
    assert torch.equal(cache.K, torch.cat([K for K, _ in parts], dim=2))
    assert torch.equal(cache.V, torch.cat([V for _, V in parts], dim=2))


def test_two_futures_of_one_past_do_not_disturb_each_other():
    past = KeyValueCache.empty(1, 2, 3, 8, like=torch.zeros(())).append(*columns(1, 2, 0))
    first, second = columns(1, 1, 1), columns(1, 1, 2)
    one, other = past.append(*first), past.append(*second)
    assert torch.equal(one.K[:, :, 2:], first[0])
    assert torch.equal(other.K[:, :, 2:], second[0])
    assert torch.equal(one.V[:, :, :2], other.V[:, :, :2])
    assert past.length == 2


def test_appending_in_spare_room_copies_nothing():
    past = KeyValueCache.empty(1, 2, 3, 8, like=torch.zeros(())).append(*columns(1, 2, 0))
    assert past.append(*columns(1, 1, 1)).K.data_ptr() == past.K.data_ptr()


def test_reorder_takes_rows_and_leaves_the_old_order_alone():
    K, V = columns(3, 2, 0)
    past = KeyValueCache.empty(3, 2, 3, 4, like=torch.zeros(())).append(K, V)
    reordered = past.reorder(torch.tensor([2, 2, 0]))
    assert torch.equal(reordered.K, K[[2, 2, 0]])
    assert torch.equal(reordered.V, V[[2, 2, 0]])
    reordered.append(*columns(3, 1, 1))
    assert torch.equal(past.K, K)
    dropped = past.reorder(torch.tensor([1]))
    assert torch.equal(dropped.V, V[[1]])
