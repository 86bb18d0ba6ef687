"""The cheap dropout, against torch's own."""

from __future__ import annotations

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.fast.dropout import Dropout, random_keep_mask


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5])
def test_shares_and_scale_are_those_of_torch(p, device):
    torch.manual_seed(0)
    x = torch.ones(300, 1001, device=device)
    ours, theirs = Dropout(p)(x), torch.nn.functional.dropout(x, p)
    for dropped in (ours, theirs):
        assert abs(float((dropped == 0).float().mean()) - p) < 0.004
        assert abs(float(dropped.mean()) - 1) < 0.006
    assert len(ours.unique()) == 2


def test_rows_and_columns_are_dropped_alike():
    keep = random_keep_mask(torch.Size((1000, 1000)), 64).float()
    assert (keep.mean(0) - 0.75).abs().max() < 0.07
    assert (keep.mean(1) - 0.75).abs().max() < 0.07
    # Neighbours come from one draw's bytes: they must not depend on one another.
    assert abs(float(torch.corrcoef(torch.stack([keep[:, 0], keep[:, 1]]))[0, 1])) < 0.1


def test_gradient_passes_where_the_output_passed():
    x = torch.full((50, 7), 2.0, requires_grad=True)
    torch.manual_seed(1)
    output = Dropout(0.5)(x)
    output.sum().backward()
    torch.testing.assert_close(x.grad * x.detach(), output.detach())


def test_evaluation_and_p_0_change_nothing():
    x = torch.randn(4, 5)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0)(x) is x


def test_same_seed_same_mask():
    masks = []
    for _ in range(2):
        torch.manual_seed(7)
        masks.append(random_keep_mask(torch.Size((9, 9)), 100))
    assert torch.equal(*masks)


@pytest.mark.parametrize("p", [-0.1, 1.0, 2.0])
def test_a_share_that_cannot_be_is_an_error(p):
    with pytest.raises(MtcourseError, match=str(p)):
        Dropout(p)
