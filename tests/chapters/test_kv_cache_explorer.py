"""The explorer of chapter 14 counts and shows what the package's caches and searches do."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest
import torch

import mtcourse
from mtcourse.chapters.kv_cache.counts import (
    buffers,
    counted_products,
    generation_products,
    measured_bytes,
)
from mtcourse.chapters.kv_cache.explorer import BEAM_PROMPT, BEAMS, STEPS, kv_cache_explorer
from mtcourse.chapters.kv_cache.row_beams import (
    Recorder,
    Watched,
    no_caches,
    row_state,
    row_step,
    watched,
)
from mtcourse.decoding.search import beam_search
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import shown_pieces
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.models.encoder_decoder import use_attention
from mtcourse.models.generation_state import generation_state, generation_step
from mtcourse.models.language_model import LanguageModel
from mtcourse.text.tokenizer import BOS
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/14_kv_cache.html"
INSTRUCTORS = Path(mtcourse.__path__[0], "chapters", "kv_cache", "instructors.md")
WAYS = ["reorder", "forget", "mask"]


@pytest.fixture(scope="module")
def language_model():
    return LanguageModel.load(device="cpu")


@pytest.fixture(scope="module")
def model(language_model):
    return language_model.model.double().requires_grad_(False)


@pytest.fixture(scope="module")
def explorer(language_model):
    return kv_cache_explorer(language_model)


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "kv_cache")


def ids_of(language_model, sentence: dict[str, Any]) -> torch.Tensor:
    """<bos> and the sentence without <eos>: what the model read."""
    return torch.tensor([[BOS, *language_model.tokenizer.encode(sentence["text"])]])


def views(node, explorer, sentence: int, cached: bool, prefill: bool) -> list[dict[str, Any]]:
    """What the explorer shows at each step."""
    chosen = {"sentence": sentence, "cached": cached, "prefill": prefill}
    return node(
        "stepsOf(data.sentences[chosen.sentence], chosen.prefill).map((_, k) =>"
        " viewOf(data, { ...settings, ...chosen, step: k + 1 }))",
        data=explorer.data,
        settings=explorer.settings,
        chosen=chosen,
    )


# --- the sentences -------------------------------------------------------------------------------


def test_sentences_are_written_greedily_and_their_probabilities_are_the_models(
    explorer, language_model, model
):
    for sentence in explorer.data["sentences"]:
        ids = ids_of(language_model, sentence)
        pieces = shown_pieces(language_model.tokenizer.pieces(ids[0].tolist()))
        assert sentence["inputs"] == pieces
        assert sentence["labels"] == [*pieces[1:], "<eos>"]
        given = sentence["prompt"]
        for t in range(1, len(pieces) + 1):  # the whole prefix, each time anew
            p = model(ids[:, :t])[0, -1].softmax(-1)
            label = 3 if t == len(pieces) else int(ids[0, t])
            assert sentence["p"][t - 1] == pytest.approx(float(p[label]), abs=6e-4)
            assert t < given or int(p.argmax()) == label


def test_weights_are_those_of_a_model_that_reads_one_token_at_a_time(
    explorer, language_model, model
):
    """The rows that a cached step computes, as the shipped cache gives them."""
    kept: list[torch.Tensor] = []

    def keeping(Q, K, V, mask=None, causal=False):
        A, weights = scaled_dot_product_attention(Q, K, V, mask, causal)
        kept.append(weights[0, :, -1])
        return A, weights

    sizes = model.config
    for sentence in explorer.data["sentences"]:
        ids, kept[:] = ids_of(language_model, sentence), []
        caches = no_caches(model, 1, ids.shape[1])
        before = [block.self_attention.attention for block in model.blocks]
        use_attention(model, keeping)
        for t in range(ids.shape[1]):
            _, caches = model.extend(ids[:, t : t + 1], caches, t)
        for block, attention in zip(model.blocks, before, strict=True):
            block.self_attention.attention = attention
        for t in range(ids.shape[1]):
            for layer in range(sizes.layers):
                of_step = kept[t * sizes.layers + layer]
                shown = torch.tensor([head[t] for head in sentence["weights"][layer]])
                assert shown.shape == (sizes.h, t + 1)
                torch.testing.assert_close(shown, of_step.float(), atol=6e-4, rtol=0)


# --- what a step costs ---------------------------------------------------------------------------


@pytest.mark.parametrize("prefill", [False, True])
def test_products_are_what_pytorchs_counter_sees(node, explorer, language_model, model, prefill):
    sentence = explorer.data["sentences"][0]
    ids = ids_of(language_model, sentence)
    sums = {"cached": 0, "plain": 0}
    caches = no_caches(model, 1, ids.shape[1])
    for view in views(node, explorer, 0, True, prefill):
        m, t, cost = view["m"], view["t"], view["cost"]
        of_step = {}

        def cached(m=m, t=t, of_step=of_step, caches=caches):
            H, of_step["caches"] = model.extend(ids[:, t - m : t], caches, t - m)
            model.logits(H[:, -1:])

        def plain(t=t):
            model.logits(model.hidden(ids[:, :t])[:, -1:])

        counted = {
            "cached": counted_products(cached, model),
            "plain": counted_products(plain, model),
        }
        caches = of_step["caches"]
        assert cost["now"] == counted
        sums = {way: total + counted[way] for way, total in sums.items()}
        assert cost["sum"] == sums
    assert view["t"] == ids.shape[1] == len(sentence["inputs"])


def test_bytes_are_those_of_the_tensors(node, explorer, model):
    for view in views(node, explorer, 0, True, True):
        single = no_caches(model.float(), 1, view["t"])
        assert view["cost"]["bytes"] == measured_bytes(buffers(single))
    model.double()


def test_a_long_text_costs_what_the_formula_of_the_page_says(node, explorer, model):
    longest = explorer.data["sizes"]["longest"]
    assert longest == model.config.max_length
    for T in (1, 12, longest):
        found = node("costOfLength(sizes, T).sum", sizes=explorer.data["sizes"], T=T)
        assert found == {
            way: generation_products(model.config, T, way == "cached") for way in found
        }
    said = node("lengthSays(sizes)", sizes=explorer.data["sizes"])
    assert "5,437 million multiplications without a cache and 106 million with one: 51" in said


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("prefill", [True, False])
def test_a_formula_ends_in_the_number_of_the_counter(node, explorer, cached, prefill):
    shown = views(node, explorer, 1, cached, prefill)
    formulas = node(
        "all.map((of) => formulasOf(of.sizes, of, of.cached))",
        all=[{key: view[key] for key in ("sizes", "m", "t", "cached")} for view in shown],
    )
    for view, lines in zip(shown, formulas, strict=True):
        way = "cached" if cached else "plain"
        ends = [view["cost"]["now"][way], *([view["cost"]["bytes"]] if cached else [])]
        assert len(lines) == len(ends)
        for (name, _, numbers), end in zip(lines, ends, strict=True):
            asked, said = numbers.split(" = ")
            assert said == f"{end:,}"
            products = asked.replace(",", "").replace("·", "*")
            assert re.fullmatch(r"[\d\s()*+]+", products)
            assert eval(products) == end, name


# --- what the matrix shows -----------------------------------------------------------------------


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("prefill", [True, False])
def test_coloured_cells_are_the_rows_and_columns_that_the_formula_counts(
    node, explorer, cached, prefill
):
    shown = views(node, explorer, 0, cached, prefill)
    n = shown[0]["n"]
    cells = node(
        "all.map((of) => ({ keys: of.inputs.map((_, j) => keyRole(of, j)),"
        " cells: of.inputs.map((_, i) => of.inputs.map((_, j) => cellRole(of, i, j))),"
        " legend: rolesIn(of) }))",
        all=shown,
    )
    for view, found in zip(shown, cells, strict=True):
        m, t = view["m"], view["t"]
        old = "read" if cached else "again"
        assert found["keys"] == [old] * (t - m) + ["new"] * m + ["later"] * (n - t)
        flat = [role for row in found["cells"] for role in row]
        assert set(found["legend"]) == {*found["keys"], *flat} - {"later"}
        computed_now = sum(role in ("new", "again", "masked") for role in flat)
        rows = m if cached else t
        assert computed_now == rows * t, "2 rows t d products: a mask saves none"
        for i, row in enumerate(found["cells"]):
            assert all((role == "masked") <= (j > i) for j, role in enumerate(row))
        assert ("earlier" in flat) == (cached and t > m)
        assert ("again" in flat) == (not cached and t > m)


def test_settings_beyond_a_shorter_sentence_are_brought_into_it(node, explorer):
    settings = {**explorer.settings, "sentence": 2, "step": 12, "at": [12, 11]}
    view = node("viewOf(data, settings)", data=explorer.data, settings=settings)
    n = len(explorer.data["sentences"][2]["inputs"])
    assert view["step"] == view["t"] == n
    assert view["at"] == [n, n - 1]


# --- the beams -----------------------------------------------------------------------------------


def package_search(language_model, model, step, state) -> Recorder:
    recorder = Recorder()
    beam_search(watched(step), Watched(state, recorder), torch.tensor([12]), beams=BEAMS)
    return recorder


@pytest.fixture(scope="module")
def prompt(language_model):
    return torch.tensor([[BOS, *language_model.tokenizer.encode(BEAM_PROMPT)]])


@pytest.fixture(scope="module")
def as_positions(language_model, model, prompt):
    """The search with a mask of ancestors, as the package runs it."""
    state = generation_state(model, prompt)
    return package_search(language_model, model, generation_step(model), state)


def texts(explorer, which: str) -> list[list[list[str]]]:
    """Of each step and beam the tokens, found by going forwards."""
    run, found = explorer.data["beams"][which], [[[]]]
    for parents, tokens in zip(run["parents"], run["tokens"], strict=True):
        pairs = zip(parents, tokens, strict=True)
        found.append([[*found[-1][parent], token] for parent, token in pairs])
    return found[1:]


@pytest.mark.parametrize("which", ["right", "forgotten"])
def test_the_text_of_a_beam_is_its_parents_and_one_more_token(node, explorer, which):
    found = node(
        "tokens.map((row, k) => row.map((_, beam) => textOf({ parents, tokens }, k + 1, beam)))",
        **{key: explorer.data["beams"][which][key] for key in ("parents", "tokens")},
    )
    assert found == texts(explorer, which)


def test_beams_with_a_mask_have_the_same_parents(explorer, as_positions):
    found = [of[0].tolist() for of in as_positions.parents[:STEPS]]
    assert explorer.data["beams"]["right"]["parents"] == found


def test_log_p_of_right_beams_is_that_of_their_whole_text(explorer, language_model, model, prompt):
    known = language_model.tokenizer.pieces(range(model.config.V))
    ids = {piece: number for number, piece in enumerate(shown_pieces(known))}
    assert len(ids) == model.config.V, "a shown piece names one token"
    run = explorer.data["beams"]["right"]
    for step, beams in enumerate(texts(explorer, "right")):
        for beam, text in enumerate(beams):
            added = torch.tensor([[ids[token] for token in text]])
            whole = torch.cat([prompt, added], 1)
            log_p = model(whole[:, :-1])[0].log_softmax(-1).gather(1, whole[0, 1:, None])
            expected = float(log_p[prompt.shape[1] - 1 :].sum())
            assert run["log_p"][step][beam] == pytest.approx(expected, abs=6e-4)


def test_the_mask_is_the_packages(node, explorer, as_positions, prompt):
    t = prompt.shape[1]
    for step in range(1, STEPS + 1):
        columns = node(
            "columnsOf(run, step).map((column) => run.parents[0].map((_, beam) =>"
            " isAncestor(run, step, beam, column)))",
            run=explorer.data["beams"]["right"],
            step=step,
        )
        ancestors = as_positions.states[step - 1].decoded.ancestors[0]
        assert ancestors[:, :t].all()
        assert ancestors[:, t:].T.tolist() == columns


def test_keys_of_a_cache_that_stays_are_those_that_its_row_was_fed(node, explorer):
    """Simulated with rows of tokens in place of keys; nothing moves."""
    run, all_texts = explorer.data["beams"]["forgotten"], texts(explorer, "forgotten")
    rows: list[list[list[str]]] = [[] for _ in range(BEAMS)]  # of each column the text behind it
    seen = set()
    for step in range(1, STEPS + 1):
        found = node(
            "WAYS.map(([way]) => run.parents[0].map((_, beam) => keysOf(run, step, beam, way)))",
            run=run,
            step=step,
        )
        by_way = dict(zip(WAYS, found, strict=True))
        for beam, text in enumerate(all_texts[step - 1]):
            expected = [[row[-1], row != text[: len(row)]] for row in rows[beam]]
            assert by_way["forget"][beam] == expected
            seen.update(other for _, other in expected)
            for way in ("reorder", "mask"):
                assert by_way[way][beam] == [[token, False] for token in text[:-1]]
            rows[beam].append(text)
    assert seen == {True, False}


def test_the_same_token_of_another_text_is_another_key(node):
    run = {
        "parents": [[0, 0, 0], [0, 1, 2], [1, 0, 2]],
        "tokens": [["a", "b", "c"], ["x", "x", "y"], ["d", "e", "f"]],
    }
    found = node("[0, 1, 2].map((beam) => keysOf(run, 3, beam, 'forget'))", run=run)
    assert found == [
        [["a", True], ["x", True]],  # its text is b x, but this x has read a
        [["b", True], ["x", True]],
        [["c", False], ["y", False]],
    ]


def test_bytes_and_entries_that_move_are_the_packages(
    node, explorer, language_model, model, prompt, as_positions
):
    as_rows = package_search(language_model, model, row_step(model), row_state(model, prompt))
    before = 0
    for step in range(1, STEPS + 1):
        found = node(
            "WAYS.map(([way]) => copiedBy(data, step, way))", data=explorer.data, step=step
        )
        copied = as_rows.states[step - 1].copied
        assert found[0] == 4 * (copied - before)
        assert found[1] == (found[0] if step == 1 else 0)
        assert found[2] == as_positions.states[step - 1].decoded.ancestors.numel()
        before = copied


@pytest.mark.parametrize(
    ("parents", "said"),
    [
        ([0, 1, 2], "Step 2: every beam continues itself."),
        ([1, 0, 2], "beam 1 continues what was beam 2 and beam 2 continues what was beam 1."),
        ([0, 0, 0], "continues what was beam 1; what was beam 2 and 3 is given up."),
    ],
)
def test_a_step_is_told_in_words(node, parents, said):
    found = node("movesOf({ parents }, 2)", parents=[[0, 0, 0], parents])
    assert found.endswith(said)


# --- what page and guide ask ---------------------------------------------------------------------


def test_what_an_instructor_asks_of_the_costs_has_an_answer(node, explorer):
    plain = views(node, explorer, 0, False, False)
    assert (explorer.settings["step"], len(plain)) == (6, 12)
    last = plain[-1]["cost"]
    ratios = [cost["plain"] / cost["cached"] for cost in (last["now"], last["sum"])]
    guide = INSTRUCTORS.read_text("utf-8")
    assert "a factor of {:.1f}, but a factor of {:.1f}".format(*ratios) in guide
    one_by_one, at_once = plain[3], views(node, explorer, 0, True, True)[0]
    assert one_by_one["t"] == at_once["t"] == 4
    fewer = one_by_one["cost"]["sum"]["cached"] - at_once["cost"]["sum"]["cached"]
    sizes = explorer.data["sizes"]
    hidden = 4 * 3 // 2
    rows_of_output, scores = 3 * sizes["d"] * sizes["V"], 2 * sizes["L"] * sizes["d"] * hidden
    assert fewer == rows_of_output - scores > 0


def test_what_page_and_instructor_ask_of_the_beams_has_an_answer(node, explorer):
    beams = explorer.data["beams"]
    right, forgotten = beams["right"], beams["forgotten"]
    differs = [
        node(
            "[0, 1, 2].some((beam) => keysOf(run, step, beam, 'forget').some((of) => of[1]))",
            run=forgotten,
            step=step,
        )
        for step in range(1, STEPS + 1)
    ]
    assert differs == [False, True, True, True]
    assert right["tokens"][:3] == forgotten["tokens"][:3]
    assert right["tokens"][3][0] == "."
    assert forgotten["tokens"][3][0] == "·s"
    assert forgotten["parents"][3][0] == 1
    keys = node("keysOf(run, 3, 1, 'forget')", run=forgotten)
    assert keys == [["heeft", True], ["de", True]]
    assert texts(explorer, "forgotten")[2][1] == ["is", "heel", "vriendelijk"]
    assert right["result"] == "De leraar is heel vriendelijk."
    assert "heel vriendelijkster dan" in forgotten["result"]
    mask, said = (
        node("beamSays(data, settings)", data=explorer.data, settings={"beam_step": 3, "way": way})
        for way in ("mask", "reorder")
    )
    assert "27 entries" in mask[1]
    assert "columns of all beams: 12, of which 6 are its own" in mask[1]
    assert "= 46,080 bytes" in said[1]


def test_bad_input_is_refused(language_model):
    with pytest.raises(MtcourseError, match="at least one prompt"):
        kv_cache_explorer(language_model, prompts=())
    with pytest.raises(MtcourseError, match="takes 31 tokens with <bos>, and at most 24"):
        kv_cache_explorer(language_model, prompts=["de " * 30])
    with pytest.raises(MtcourseError, match="end after .* steps, and 4 are shown"):
        kv_cache_explorer(language_model, beam_prompt="De leraar is heel vriendelijk.")


def test_formulas_get_subscripts_and_words_do_not(node):
    program = (
        "(() => { globalThis.document = { createElement: (tag) => ({ tag, setAttribute() {},"
        " append(...of) { this.of = of; } }) }; return subscripted(text).map((of) =>"
        " typeof of === 'string' ? of : [of.of[0], of.of[1].of[0]]); })()"
    )
    assert node(program, text="2 d d_ff of C_12, d_model; a_b in snake_case") == [
        "2 d ",
        ["d", "ff"],
        " of ",
        ["C", "12"],
        ", ",
        ["d", "model"],
        "; ",
        ["a", "b"],
        " in snake_case",
    ]


# --- in a browser --------------------------------------------------------------------------------


@pytest.fixture(params=["file", "book", "dark"])
def opened(browser, request, explorer):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    scheme = "dark" if request.param == "dark" else "light"
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="kv_cache"]').first


@pytest.mark.browser
def test_steps_cache_and_prefill_change_matrix_counter_and_words(opened: Visit):
    explorer = of(opened)
    says, table = explorer.locator("[aria-live]").first, explorer.get_by_role("grid")
    step = explorer.get_by_role("slider", name="Step", exact=True)
    counter = explorer.locator("table", has_text="Counter at step")

    def count(role: str) -> int:
        return table.locator(f'[data-role="{role}"]').count()

    assert "Step 6 of 12 reads “jongen”, position 6." in says.inner_text()
    assert (count("read"), count("again"), count("earlier")) == (5, 0, 15)
    step.press("ArrowRight")
    assert "Step 7 of 12 reads “de”, position 7." in says.inner_text()
    assert (count("read"), count("new"), count("earlier")) == (6, 1 + 7, 21)
    assert "787,200" in counter.inner_text()
    explorer.get_by_label("off", exact=True).check()
    assert "Without a cache each block computes 7 rows, 6 of them again" in says.inner_text()
    assert (count("read"), count("again"), count("masked")) == (0, 6 + 21, 21)
    explorer.get_by_label("on", exact=True).check()
    explorer.get_by_role("checkbox", name="Prefill").check()
    assert "Step 7 of 9 reads “heeft”" in says.inner_text()
    step.press("Home")
    assert "the prefill, reads the 4 tokens of the prompt in one pass" in says.inner_text()
    assert "the same number of multiplications either way" in says.inner_text()
    step.press("End")
    assert "It predicts “<eos>”" in says.inner_text()


@pytest.mark.browser
def test_cells_are_reached_with_the_keyboard_and_say_what_they_are(opened: Visit):
    explorer = of(opened)
    chosen = explorer.get_by_role("grid").locator("[tabindex='0']")
    chosen.press("ArrowRight")
    assert chosen.get_attribute("aria-label").startswith("Query 6, “jongen”, key 4, “dat”: weight")
    for _ in range(6):
        chosen.press("ArrowUp")
    assert chosen.get_attribute("aria-label") == "Key and value of 4, “dat”: read from the cache."
    assert explorer.get_by_text("Key and value of 4, “dat”: read").count() == 1
    explorer.get_by_label("The model writes").select_option(index=2)
    assert "of 7 reads" in explorer.locator("[aria-live]").first.inner_text()


@pytest.mark.browser
def test_beams_show_whose_keys_they_read(opened: Visit):
    explorer = of(opened)
    says, beams = explorer.locator("[aria-live]").nth(1), explorer.locator("li")
    assert "what was beam 2 is given up" in says.inner_text()
    assert beams.count() == BEAMS
    assert "another text" not in explorer.locator("ul").inner_text()
    explorer.get_by_label("forget to reorder it").check()
    assert "Beams 1, 2 and 3 will read the keys of another text." in says.inner_text()
    assert "heeft ✗ (another text's) de ✗" in beams.nth(1).inner_text().replace("\n", " ")
    assert "vriendelijkster dan de schrijver.” With a cache that is" in explorer.inner_text()
    explorer.get_by_role("slider", name="Step of the beam search").press("Home")
    assert "another text" not in says.inner_text()
    explorer.get_by_label("mask of ancestors").check()
    explorer.get_by_role("slider", name="Step of the beam search").press("End")
    mask = explorer.locator("table", has_text="All columns of the cache")
    assert mask.locator("tbody tr").first.locator("td.explorer-tint").count() == 1 + 3
    assert mask.locator("tbody tr").first.locator("td").count() == 1 + 9


CROSSED = """(svg) => {
  const words = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBBox()]);
  return [...svg.querySelectorAll("path")].flatMap((path) =>
    Array.from({length: 200}, (_, k) => path.getPointAtLength((k / 199) * path.getTotalLength()))
      .flatMap(({x, y}) => words.filter(([, box]) => x > box.x && x < box.x + box.width
        && y > box.y + 3 && y < box.y + box.height - 3).map(([word]) => word)));
}"""
"""The words of a tree that its lines cross; a word has a box a little higher than its letters."""


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["file"], indirect=True)
@pytest.mark.parametrize("width", [1000, 360])
def test_lines_between_beams_cross_no_word(opened: Visit, width):
    opened.page.set_viewport_size({"width": width, "height": 800})
    explorer = of(opened)
    tree = explorer.get_by_role("region", name="The tree of beams")
    for way in ("reorder the cache", "forget to reorder it"):
        explorer.get_by_label(way, exact=True).check()
        for step in "1234":
            explorer.get_by_role("slider", name="Step of the beam search").fill(step)
            assert tree.locator("path").count() >= BEAMS
            assert tree.locator("svg").evaluate(CROSSED) == []


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_a_small_screen_holds_it(opened: Visit):
    opened.page.set_viewport_size({"width": 360, "height": 800})
    opened.page.wait_for_function(
        "document.querySelector('.mtcourse-explorer svg').viewBox.baseVal.width < 400"
    )
    explorer = of(opened)
    for label in ("off", "mask of ancestors, nothing moves"):
        explorer.get_by_label(label, exact=True).check()
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    box = explorer.locator(".explorer-scroll").first
    assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth"), "all columns are seen"
