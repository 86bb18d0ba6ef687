"""Products through oneDNN, against torch's own."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import torch
import torch.nn.functional as F

from mtcourse.errors import MtcourseError
from mtcourse.fast import linear as products
from mtcourse.fast.linear import (
    Linear,
    faster_library,
    linear,
    store_by_columns,
    transposed_product,
    vendor,
)

needs_onednn = pytest.mark.skipif(not products._AVAILABLE, reason="torch was built without oneDNN")


def matrix(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(autouse=True)
def by_onednn(monkeypatch) -> None:
    """Whatever the processor would choose."""
    monkeypatch.setattr(products, "LIBRARY", "onednn")


@pytest.fixture
def calls(monkeypatch) -> list[torch.Size]:
    """The shapes of x of all products that oneDNN computes."""
    seen, onednn = [], products._onednn

    def spy(x, W, b=None):
        seen.append(x.shape)
        return onednn(x, W, b)

    monkeypatch.setattr(products, "_onednn", spy)
    return seen


@needs_onednn
@pytest.mark.parametrize("rows", [(512,), (4, 128), (2, 2, 128)])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("k", "n"), [(64, 96), (96, 64)])
@pytest.mark.parametrize("by_columns", [True, False])
def test_values_and_gradients_are_those_of_torch(rows, bias, k, n, by_columns, calls):
    results = []
    for function in (linear, F.linear):
        x = matrix(*rows, k).requires_grad_()
        W = (matrix(k, n, seed=1).T if by_columns else matrix(n, k, seed=1)).requires_grad_()
        b = matrix(n, seed=2).requires_grad_() if bias else None
        y = function(x, W, b)
        (y * matrix(*y.shape, seed=3)).sum().backward()
        results.append([y, x.grad, W.grad, b.grad if b is not None else torch.zeros(())])
    assert len(calls) == 3, "forward, and the gradients of x and of W"
    for ours, theirs in zip(*results, strict=True):
        assert ours.shape == theirs.shape
        torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=1e-4)


@needs_onednn
def test_a_frozen_weight_gets_no_gradient_and_costs_no_product(calls):
    x, W = matrix(512, 64).requires_grad_(), matrix(64, 64, seed=1)
    linear(x, W).sum().backward()
    torch.testing.assert_close(x.grad, W.sum(0).expand(512, -1), atol=1e-4, rtol=1e-4)
    assert len(calls) == 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_types_go_the_plain_way(dtype, calls):
    x, W = matrix(512, 64).to(dtype), matrix(64, 64).to(dtype)
    assert torch.equal(linear(x, W), F.linear(x, W))
    assert calls == []


def test_small_products_go_the_plain_way(calls):
    assert torch.equal(
        linear(matrix(1, 64), matrix(64, 64)), F.linear(matrix(1, 64), matrix(64, 64))
    )
    assert calls == []


def test_autocast_is_obeyed(calls):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert linear(matrix(512, 64), matrix(64, 64)).dtype == torch.bfloat16
    assert calls == []


@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_torch_s_own_switch_turns_onednn_off(calls):
    with torch.backends.mkldnn.flags(enabled=False):
        linear(matrix(512, 64), matrix(64, 64))
    assert calls == []


@needs_onednn
def test_torch_s_own_library_can_be_chosen(calls, monkeypatch):
    x, W = matrix(512, 64), matrix(64, 64)
    linear(x, W)
    assert len(calls) == 1
    monkeypatch.setattr(products, "LIBRARY", "torch")
    assert torch.equal(linear(x, W), F.linear(x, W))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("processor", "library"),
    [
        ("AuthenticAMD", "onednn"),
        ("HygonGenuine", "onednn"),
        ("AMD64 Family 25 Model 33 Stepping 2, AuthenticAMD", "onednn"),
        ("GenuineIntel", "torch"),
        ("Intel64 Family 6 Model 154 Stepping 3, GenuineIntel", "torch"),
        ("arm", "torch"),
        ("", "torch"),
    ],
)
def test_the_processor_decides_unless_the_user_does(processor, library):
    assert faster_library({}, processor) == library
    assert faster_library({"MTCOURSE_PRODUCTS": ""}, processor) == library
    for chosen in ("onednn", "torch"):
        assert faster_library({"MTCOURSE_PRODUCTS": chosen}, processor) == chosen


def test_an_unknown_library_is_refused_with_the_known_ones():
    with pytest.raises(MtcourseError, match=r"'mkl'; set it to onednn or torch, or unset it"):
        faster_library({"MTCOURSE_PRODUCTS": "mkl"}, "GenuineIntel")


@pytest.mark.skipif(not shutil.which("lscpu"), reason="no lscpu to ask")
def test_the_vendor_is_the_one_that_linux_knows():
    listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
    if "Vendor ID" not in listed:
        pytest.skip("this processor does not name its vendor")
    assert vendor() in listed


@pytest.mark.parametrize(("n", "k"), [(64, 96), (96, 64), (3, 5)])
def test_transposed_product(n, k):
    A, B = matrix(512, n), matrix(512, k, seed=1)
    torch.testing.assert_close(transposed_product(A, B), A.T @ B, atol=1e-3, rtol=1e-4)


def test_storing_by_columns_changes_strides_alone():
    torch.manual_seed(0)
    layer = Linear(6, 4)
    x = matrix(5, 6)
    before, output = layer.weight.detach().clone(), layer(x)
    store_by_columns(torch.nn.Sequential(layer))
    assert layer.weight.T.is_contiguous()
    assert torch.equal(layer.weight, before)
    torch.testing.assert_close(layer(x), output)


@needs_onednn
def test_weights_stored_by_columns_train_as_any_other():
    weights = []
    for by_columns in (False, True):
        layer = Linear(64, 96)
        with torch.no_grad():
            layer.weight.copy_(matrix(96, 64))
            layer.bias.zero_()
        if by_columns:
            store_by_columns(layer)
        optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1, fused=True)
        for seed in range(3):
            optimizer.zero_grad()
            layer(matrix(512, 64, seed=seed)).square().mean().backward()
            optimizer.step()
        weights.append(layer.weight.detach())
    torch.testing.assert_close(*weights, atol=1e-3, rtol=1e-3)
