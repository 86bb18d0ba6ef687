"""Shapes are checked while the tests run: jaxtyping's annotations, enforced by beartype.

Only where there are tensors: the grammar's many small functions would take minutes.
"""

from jaxtyping import install_import_hook

WITH_TENSORS = (
    "fast.candidates",
    "fast.chunked_loss",
    "fast.dropout",
    "layers",
    "models",
    "training",
    "decoding",
    "figures",
    "text.batches",
    "text.joined_pairs",
    "text.labelled_batches",
    "text.masking",
    "text.text_batches",
    "recipes",
    "chapters",
)
install_import_hook([f"mtcourse.{name}" for name in WITH_TENSORS], "beartype.beartype")

from collections.abc import Iterator  # noqa: E402

import pytest  # noqa: E402
import torch  # noqa: E402
from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: E402

from tests.helpers.browsing import browser, site  # noqa: E402, F401  (fixtures for all tests)
from tests.helpers.turns import SHARE, TURN, whose_turn_it_is  # noqa: E402


def available_devices() -> list:
    """The CPU always; an accelerator as a case marked ``gpu`` that skips where there is none."""
    cuda = torch.cuda.is_available()
    gpu = pytest.param(
        "cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not cuda, reason="no CUDA device")]
    )
    return ["cpu", gpu]


@pytest.fixture(params=available_devices())
def device(request: pytest.FixtureRequest) -> torch.device:
    """Each device on which the same test must hold."""
    return torch.device(request.param)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out tests whose turn it is not, and puts files with slow tests first.

    So none of these is left to one process when all others end.
    """
    if TURN is not None:
        runs = list(whose_turn_it_is(items, int(TURN), SHARE))
        left_out = [item for item, does in zip(items, runs, strict=True) if not does]
        items[:] = [item for item, does in zip(items, runs, strict=True) if does]
        config.hook.pytest_deselected(items=left_out)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


# --- tests that train ----------------------------------------------------------------------------

UPDATES = 20
"""A test with more updates than this trains. What it asserts has to hold on every processor."""
updates = 0


def count_update(*_: object) -> None:
    """Called by torch after each step of an optimizer."""
    global updates
    updates += 1


register_optimizer_step_post_hook(count_update)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Counts from here: the first test of a fixture that trains counts the fixture's updates."""
    global updates
    updates = 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fails a test that trains without the mark by which ``make anywhere`` finds it."""
    yield
    if updates > UPDATES and item.get_closest_marker("trains") is None:
        message = f"it trains ({updates} updates): mark it with pytest.mark.trains"
        pytest.fail(message, pytrace=False)
