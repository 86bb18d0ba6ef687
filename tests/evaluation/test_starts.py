"""What several random starts show: the spread, the reversals, and the two figures of them."""

from __future__ import annotations

import itertools
import statistics
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import same_color

from mtcourse.errors import MtcourseError
from mtcourse.evaluation import starts
from mtcourse.evaluation.starts import (
    MEASURED,
    MedianInterval,
    Spread,
    load_measured,
    median_interval,
    reversals,
    run_starts,
    store_measured,
)
from mtcourse.figures.starts_plots import start_curves, start_dots
from mtcourse.figures.style import LINE_COLOURS

ROOT = Path(__file__).resolve().parents[2]
FINITE = st.floats(-1e6, 1e6)


@given(st.lists(FINITE, min_size=1))
def test_the_spread_is_that_of_the_standard_library(values: list[float]) -> None:
    found = Spread.of(values)
    assert found.median == statistics.median(values)
    assert (found.low, found.high) == (min(values), max(values))


def test_a_spread_is_written_with_the_digits_asked_for() -> None:
    assert f"{Spread.of([5.46, 84.0, 100.0]):.1f}" == "84.0 (5.5 to 100.0)"
    with pytest.raises(MtcourseError, match="at least one start"):
        Spread.of([])


def test_a_tie_counts_as_a_reversal() -> None:
    assert reversals([3, 2, 1], [1, 2, 3]) == 2
    with pytest.raises(MtcourseError, match="2 and 1 results"):
        reversals([1, 2], [1])


def draw(seed: int) -> tuple[int, int, float]:
    number = torch.rand((), generator=torch.Generator().manual_seed(seed)).item()
    return seed, torch.get_num_threads(), number


def test_starts_run_on_one_thread_each_and_in_order() -> None:
    found = run_starts(draw, starts=3, processes=2)
    assert [seed for seed, *_ in found] == [0, 1, 2]
    assert {threads for _, threads, _ in found} == {1}
    assert found == [(seed, 1, number) for seed, _, number in map(draw, range(3))]


@pytest.mark.parametrize(
    ("asked", "processors", "workers"),
    [(8, 4, 3), (2, 4, 2), (None, 2, 2), (None, 64, 3), (1, 4, 1)],
)
def test_there_are_no_more_processes_than_starts_or_than_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: int | None, processors: int, workers: int
) -> None:
    found = []

    class Pool:
        def __init__(self, workers: int, context: object, initializer, initargs: tuple) -> None:
            found.append(workers)
            assert (initializer, initargs) == (torch.set_num_threads, (1,))

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *_: object) -> None: ...

        map = staticmethod(map)

    monkeypatch.setattr(starts, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(starts.os, "cpu_count", lambda: processors)
    assert run_starts(lambda seed: 2 * seed, 3, asked) == [0, 2, 4]
    assert found == [workers]


def test_what_is_stored_can_be_loaded_and_says_who_made_it(tmp_path: Path) -> None:
    store_measured("tiny", "scripts/measure_tiny.py", {"bleu": [1.5, 2.5]}, tmp_path)
    found = load_measured("tiny", tmp_path)
    assert found["bleu"] == [1.5, 2.5]
    assert found["made"]["script"] == "scripts/measure_tiny.py"
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.json"]
    with pytest.raises(MtcourseError, match=r"no measurement is stored as 'huge'.*there is tiny"):
        load_measured("huge", tmp_path)


@pytest.mark.parametrize("path", sorted(MEASURED.glob("*.json")), ids=lambda path: path.stem)
def test_a_stored_measurement_names_a_script_that_exists(path: Path) -> None:
    script = load_measured(path.stem)["made"]["script"]
    assert (ROOT / script).is_file()
    assert path.stem in (ROOT / script).read_text(encoding="utf-8")


def test_the_dots_are_the_results_and_the_bar_is_their_median() -> None:
    _, ax = plt.subplots()
    start_dots({"one": [1.0, 5.0, 3.0], "other": [2.0]}, "BLEU", ax, digits=1)
    data = [sorted(line.get_xdata()) for line in ax.lines]
    assert [1.0, 3.0, 5.0] in data
    assert [3.0, 3.0] in data
    assert [text.get_text() for text in ax.texts] == ["one: median 3.0", "other: median 2.0"]
    with pytest.raises(MtcourseError, match="no start is given for none"):
        start_dots({"none": []}, "BLEU", ax)
    plt.close()


def test_names_and_medians_stand_above_their_dots_and_apart_from_those_of_the_row_above() -> None:
    _, ax = plt.subplots(figsize=(4.2, 2.4))
    start_dots({"one": [1.0, 5.0], "other": [-2.0, -3.0]}, "BLEU", ax, digits=1)
    words = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert list(words) == ["one: median 3.0", "other: median \N{MINUS SIGN}2.5"]
    marked = [
        line.get_window_extent() for line in ax.lines if line.get_marker() not in ("None", None)
    ]
    ((_, height), _) = ax.transAxes.inverted().transform(
        ax.transData.transform(ax.collections[0].get_segments()[0])
    )
    parting = ax.transAxes.transform((0, height))[1]
    for row, (dots, box) in enumerate(zip(marked, words.values(), strict=True)):
        assert box.y0 > dots.y1
        assert all(box.y1 < parting < above.y0 for above in marked[:row])
        assert ax.get_window_extent().contains(box.x0, box.y0)
        assert ax.get_window_extent().contains(box.x1, box.y1)
        assert same_color(ax.texts[row].get_color(), LINE_COLOURS[row])
    plt.close()


@pytest.mark.parametrize(("rows", "looks"), [(1, 1), (4, 4), (5, 1), (9, 1)])
def test_no_two_rows_of_dots_share_a_colour_by_chance(rows: int, looks: int) -> None:
    _, ax = plt.subplots()
    start_dots({f"kind {row}": [1.0, 2.0] for row in range(rows)}, "BLEU", ax)
    dots = [line for line in ax.lines if line.get_marker() not in ("None", None)]
    assert len(dots) == rows
    assert len({line.get_color() for line in ax.lines}) == looks
    assert len({line.get_marker() for line in dots}) == looks
    plt.close()


def test_the_curve_is_the_median_in_a_band_of_all_starts() -> None:
    _, ax = plt.subplots()
    runs = [[(0, y), (1, 2 * y)] for y in (1.0, 4.0, 2.0)]
    start_curves({"one": runs}, "step", "loss", ax)
    assert list(ax.lines[0].get_ydata()) == [2.0, 4.0]
    (band,) = ax.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert {(0.0, 1.0), (0.0, 4.0), (1.0, 2.0), (1.0, 8.0)} <= corners
    with pytest.raises(MtcourseError, match="do not have the same x"):
        start_curves({"one": [[(0, 1.0)], [(1, 1.0)]]}, "step", "loss", ax)
    with pytest.raises(MtcourseError, match="0 kinds of run"):
        start_curves({}, "step", "loss", ax)
    plt.close()


def test_a_kind_looks_the_same_in_each_of_a_pages_figures():
    runs = [[(0, 2.0), (10, 1.0)]]
    looks = []
    for shown in (["one", "two", "three"], ["three", "two"]):
        _, ax = plt.subplots()
        start_curves(dict.fromkeys(shown, runs), "step", "loss", ax, among=["one", "two", "three"])
        looks.append(
            {line.get_label(): (line.get_color(), line.get_linestyle()) for line in ax.lines}
        )
    every, some = looks
    assert len(set(every.values())) == 3
    assert some == {name: every[name] for name in ("three", "two")}
    with pytest.raises(MtcourseError, match="four: not among one, two, three"):
        start_curves({"four": runs}, "step", "loss", ax, among=["one", "two", "three"])
    plt.close("all")


@settings(deadline=None)
@given(st.integers(2, 11), st.floats(0.5, 0.99))
def test_the_confidence_is_that_of_all_patterns_of_signs(n: int, level: float) -> None:
    """Each value lies below the median or above it: count the patterns in which it is inside."""
    values = [float(i) for i in range(1, n + 1)]
    found = median_interval(values, level)
    k = int(found.low)
    assert found.high == n + 1 - k
    # With i values below the median, it lies between the i-th and the next.
    patterns = list(itertools.product((0, 1), repeat=n))
    inside = sum(k <= sum(one) <= n - k for one in patterns)
    assert found.confidence == pytest.approx(inside / len(patterns))
    if found.confidence < level:
        assert k == 1
    elif k < n // 2:
        narrower = sum(k + 1 <= sum(one) <= n - k - 1 for one in patterns)
        assert narrower / len(patterns) < level


def test_ten_starts_leave_out_the_outermost_two() -> None:
    found = median_interval([5.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 4.0, 6.0, 0.0])
    assert (found.low, found.high) == (1, 8)
    assert found.confidence == pytest.approx(1 - 2 * 11 / 1024)
    five = median_interval([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (five.low, five.high, five.confidence) == (1, 5, 1 - 2 / 32)


def test_a_confidence_that_is_just_reached_is_enough_and_95_per_cent_are_wanted() -> None:
    six, eight = [float(i) for i in range(6)], [float(i) for i in range(8)]
    assert median_interval(six, 1 - 14 / 64) == MedianInterval(1, 4, 1 - 14 / 64)
    assert median_interval(six, 0.79) == MedianInterval(0, 5, 1 - 2 / 64)
    assert median_interval(eight) == MedianInterval(0, 7, 1 - 2 / 256)
    assert median_interval(eight, 0.9) == MedianInterval(1, 6, 1 - 18 / 256)


def test_an_interval_of_one_start_is_an_error() -> None:
    with pytest.raises(MtcourseError, match="two values or more, and there is 1"):
        median_interval([1])
