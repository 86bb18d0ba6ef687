"""The example of chapter 11: its forward pass, its gradients and its step, by outside oracles."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch
from torch import nn

from mtcourse.chapters.worked_example import adam, example
from mtcourse.chapters.worked_example.backward import backward_pass, norm_gradient
from mtcourse.chapters.worked_example.example import (
    DECODER_INPUT,
    LABELS,
    as_json,
    example_steps,
    example_weights,
    greedy_output,
    shapes,
    source_ids,
    source_mask,
    target_ids,
)
from mtcourse.chapters.worked_example.forward import (
    HEADS,
    attention_steps,
    forward_pass,
    loss_steps,
    normalised_rows,
    position_table,
)
from mtcourse.chapters.worked_example.package_model import (
    package_loss,
    package_model,
    package_values,
)
from mtcourse.errors import MtcourseError

PRINTED = [0.92, 0.87, 0.91, 0.84, 0.89, 0.95]


@pytest.fixture(scope="module")
def weights():
    return example_weights()


@pytest.fixture(scope="module")
def steps():
    return example_steps()


@pytest.fixture(scope="module")
def bars(weights, steps):
    return backward_pass(weights, steps, source_ids(), target_ids(), target_ids(LABELS))


def test_the_printed_probabilities_come_out():
    written = greedy_output()
    assert tuple(token for token, _ in written) == LABELS
    assert [round(p, 2) for _, p in written] == PRINTED


def test_each_probability_is_clear_of_the_edge_of_its_rounding():
    # Otherwise another processor could print another digit.
    assert all(abs(p - q) < 0.0049 for (_, p), q in zip(greedy_output(), PRINTED, strict=True))


def test_writing_token_by_token_gives_what_the_whole_target_gives(steps):
    at_once = steps["probabilities"].max(-1).values.tolist()
    assert [p for _, p in greedy_output()] == pytest.approx(at_once, abs=1e-14)


def test_greedy_output_gives_up_where_the_end_never_comes(weights):
    never = dict(weights)
    never["W_output"] = weights["W_output"].clone()
    never["W_output"][:, 2] = 0
    assert len(greedy_output(never, longest=7)) == 7


def test_weights_have_one_decimal_and_the_shapes_that_are_told(weights):
    assert {name: tuple(w.shape) for name, w in weights.items()} == shapes()
    for w in weights.values():
        assert all(
            Fraction(str(x)).limit_denominator(10) == Fraction(str(x)) for x in w.flatten().tolist()
        )


def test_shifting_the_labels_gives_the_decoder_input():
    assert ("<BOS>", *LABELS[:-1]) == DECODER_INPUT


def test_an_unknown_token_is_named():
    with pytest.raises(MtcourseError, match="beaucoup"):
        target_ids(("<BOS>", "beaucoup"))


def test_the_position_table_is_that_of_the_package():
    from mtcourse.layers.positions import sinusoidal_positions

    assert position_table(8, 4) == pytest.approx(sinusoidal_positions(8, 4).double(), abs=1e-6)
    assert position_table(3, 6)[2, 3] == math.cos(2 / 10000 ** (2 / 6))


def test_rows_of_weights_sum_to_one_and_hide_what_is_hidden(steps):
    for place, allowed in {
        "E": source_mask(),
        "C": source_mask(),
        "D": torch.ones(6, 6).tril() > 0,
    }.items():
        for head in range(1, HEADS + 1):
            alpha = steps[f"weights_{head}_{place}"]
            assert alpha.sum(-1) == pytest.approx(torch.ones(len(alpha)), abs=1e-15)
            assert not alpha[~allowed.expand_as(alpha)].any()


def test_padding_and_the_future_do_not_matter(weights, steps):
    moved = {**weights, "W_E_X": weights["W_E_X"].clone()}
    moved["W_E_X"][7] = 3.0
    assert example_steps(moved)["loss"] == steps["loss"]
    shorter = forward_pass(weights, source_ids(), target_ids()[:3], source_mask())
    assert shorter["probabilities"] == pytest.approx(steps["probabilities"][:3], abs=1e-15)


def test_attention_is_that_of_torch(weights):
    torch.manual_seed(0)
    X, Z = torch.randn(5, 4).double(), torch.randn(7, 4).double()
    allowed = torch.rand(5, 7) > 0.3
    allowed[:, 0] = True
    layer = nn.MultiheadAttention(4, HEADS, bias=False, batch_first=True).double()
    with torch.no_grad():
        stacked = torch.cat([weights[f"W_{kind}_C"].T for kind in "QKV"])
        layer.in_proj_weight.copy_(stacked)
        layer.out_proj.weight.copy_(weights["W_O_C"].T)
    s = {}
    attention_steps("C", weights, s, X, Z, allowed)
    wanted, alpha = layer(X[None], Z[None], Z[None], attn_mask=~allowed, average_attn_weights=False)
    assert s["output_C"] == pytest.approx(wanted[0].detach(), abs=1e-14)
    assert s["weights_2_C"] == pytest.approx(alpha[0, 1].detach(), abs=1e-14)


def test_rows_are_normalised_as_in_torch():
    X = torch.randn(5, 4, dtype=torch.float64)
    unit, _ = normalised_rows(X)
    assert unit == pytest.approx(nn.functional.layer_norm(X, (4,)), abs=1e-14)


def test_the_package_computes_the_same_loss_and_probabilities(weights, steps):
    model = package_model(weights)
    assert package_loss(model).item() == pytest.approx(steps["loss"].item(), abs=1e-12)
    logits = model(source_ids()[None], target_ids()[None], source_mask()[None, None, None])
    assert logits[0].detach() == pytest.approx(steps["logits"], abs=1e-12)


def test_the_package_has_no_parameter_that_the_example_lacks(weights):
    model = package_model(weights)
    free = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert free == sum(w.numel() for w in weights.values()) == 624


def test_gradients_are_those_of_autograd_in_the_package(weights, bars):
    model = package_model(weights)
    package_loss(model).backward()
    for name, gradient in package_values(model, gradients=True).items():
        assert bars[name] == pytest.approx(gradient, abs=1e-12), name


def test_gradients_of_all_steps_are_those_of_autograd(weights, bars):
    w = {name: part.clone().requires_grad_() for name, part in weights.items()}
    s = forward_pass(w, source_ids(), target_ids(), source_mask())
    for step in s.values():
        if step.requires_grad:
            step.retain_grad()
    loss_steps(s, target_ids(LABELS))["loss"].backward()
    without = {"PE", "losses", "loss", "probabilities"}
    sigma = {name for name in s if name.startswith("sigma")}
    assert set(s) - set(bars) == without | sigma
    for name in set(s) & set(bars):
        assert bars[name] == pytest.approx(s[name].grad, abs=1e-12), name


def test_gradients_are_differences_of_the_loss(weights, bars):
    # Along one random direction for each parameter: every entry takes part.
    generator = torch.Generator().manual_seed(0)
    for name, w in weights.items():
        direction = torch.randn(w.shape, generator=generator, dtype=torch.float64)
        ends = [
            example_steps({**weights, name: w + step * direction})["loss"].item()
            for step in (-1e-6, 1e-6)
        ]
        slope = (ends[1] - ends[0]) / 2e-6
        assert (bars[name] * direction).sum().item() == pytest.approx(slope, abs=1e-8), name


def test_what_nothing_reads_has_no_gradient(bars):
    assert not bars["W_E_X"][7].any()  # <PAD>, hidden
    assert not bars["W_E_Y"][[0, 2]].any()  # <PAD> and <EOS> are never read
    assert bars["W_E_X"][:7].abs().min() > 0


def test_the_gradient_through_a_norm_is_that_of_autograd():
    X = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    unit_bar = torch.randn(3, 5, dtype=torch.float64)
    unit, sigma = normalised_rows(X)
    (unit * unit_bar).sum().backward()
    assert norm_gradient(unit, sigma, unit_bar).detach() == pytest.approx(X.grad, abs=1e-13)


def test_two_steps_of_adam_are_those_of_torch(weights):
    options = {
        "lr": adam.LEARNING_RATE,
        "betas": (adam.BETA_1, adam.BETA_2),
        "eps": adam.EPSILON_ADAM,
    }
    theta = nn.Parameter(weights["W_Q_C"].clone())
    optimizer = torch.optim.Adam([theta], **options)
    mine, m, v = weights["W_Q_C"], torch.zeros(4, 4), torch.zeros(4, 4)
    for t in (1, 2):
        theta.grad = torch.randn(4, 4, generator=torch.Generator().manual_seed(t)).double()
        optimizer.step()
        step = adam.adam_step(mine, theta.grad, m, v, t)
        mine, m, v = step.parameter, step.m, step.v
        assert mine == pytest.approx(theta.detach(), abs=1e-14)


def test_one_step_of_the_package_with_torchs_adam(weights, bars, steps):
    model = package_model(weights)
    free = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(
        free, lr=adam.LEARNING_RATE, betas=(adam.BETA_1, adam.BETA_2), eps=adam.EPSILON_ADAM
    )
    package_loss(model).backward()
    optimizer.step()
    mine = {name: step.parameter for name, step in adam.first_steps(weights, bars).items()}
    for name, after in package_values(model).items():
        assert mine[name] == pytest.approx(after, abs=1e-12), name
    assert example_steps(mine)["loss"] < steps["loss"]


def test_the_first_change_is_the_learning_rate_whatever_the_gradient(weights, bars):
    for name, step in adam.first_steps(weights, bars).items():
        big = bars[name].abs() > 1e-6
        assert step.change[big].abs() == pytest.approx(
            torch.full((int(big.sum()),), adam.LEARNING_RATE), rel=1e-2
        )
        first = [adam.first_change(g) for g in bars[name].flatten().tolist()]
        assert step.change.flatten().tolist() == pytest.approx(first, rel=1e-6, abs=1e-15)


def test_the_export_holds_everything_that_the_example_needs(weights):
    export = as_json()
    assert set(export["weights"]) == set(weights)
    assert [export["target_tokens"][i] for i in export["labels"]] == list(LABELS)
    assert example.source_mask().tolist() == export["source_mask"]
