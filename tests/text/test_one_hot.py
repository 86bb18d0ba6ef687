"""One-hot columns are torch's own, transposed, and refuse ids that have no row."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.text.one_hot import one_hot


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 30).flatmap(lambda V: st.tuples(st.just(V), st.lists(st.integers(0, V - 1)))))
def test_columns_are_those_of_torch(sizes_and_ids: tuple[int, list[int]]) -> None:
    V, ids = sizes_and_ids[0], torch.tensor(sizes_and_ids[1], dtype=torch.long)
    X = one_hot(ids, V)
    assert X.shape == (V, len(ids))
    assert X.dtype == torch.float32
    assert torch.equal(X.T.long(), torch.nn.functional.one_hot(ids, V))


@pytest.mark.parametrize("wrong", [5, -1])
def test_an_id_without_a_row_is_named(wrong: int) -> None:
    with pytest.raises(MtcourseError, match=f"id {wrong} has no row .* from 0 to 4"):
        one_hot(torch.tensor([0, wrong, 2]), 5)
