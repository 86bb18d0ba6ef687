"""What the book's pages get beside their content: lines that wrap, faces, cards, a language."""

from __future__ import annotations

import gc
import warnings

import nbformat
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from hypothesis import given, settings
from hypothesis import strategies as st
from sphinx import addnodes
from spylls.hunspell import Dictionary

from tests.course.test_book import BOOK, ROOT, load_extension, mend

page_code = load_extension("page_code")
page_tables = load_extension("page_tables")
page_fonts = load_extension("page_fonts")
exercise_cards = load_extension("exercise_cards")
dutch = load_extension("dutch")


def soup_of(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


# --- code ---------------------------------------------------------------------------------------

TOKENS = st.lists(
    st.tuples(st.booleans(), st.text(alphabet="ab \n(.", min_size=1, max_size=8)), max_size=8
)


@given(TOKENS)
@settings(deadline=None)
def test_lines_of_code_keep_their_text(tokens):
    inner = "".join(f"<span>{text}</span>" if marked else text for marked, text in tokens)
    soup = soup_of(f'<div class="highlight"><pre>{inner}\n</pre></div>')
    before = soup.pre.get_text()
    page_code.wrap_lines(soup)
    assert soup.pre.get_text() == before
    lines = [line.get_text() for line in soup.select(".code-line")]
    assert "".join(lines) == before
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)


def test_what_goes_on_stands_to_the_right_of_where_its_line_began():
    soup = soup_of('<div class="highlight"><pre>a\n    b\n\n  <b>c\n  d</b>\n</pre></div>')
    page_code.wrap_lines(soup)
    styles = [line.get("style") for line in soup.select(".code-line")]
    assert styles == [None, "--indent:6", None, "--indent:4", "--indent:4"]
    once = str(soup)
    page_code.wrap_lines(soup)
    assert str(soup) == once


@pytest.mark.parametrize(
    ("lines", "style"),
    [
        (["a", "", "b"], "--lines:3"),
        (["a" * 41], "--lines:1"),
        (["a" * 42, "b"], "--lines:2;--lines-on-a-phone:3"),
        (["a" * 80], "--lines:1;--lines-on-a-phone:2"),
        (["a" * 81], "--lines:1;--lines-on-a-phone:3"),
        (["    " + "a" * 72], "--lines:1;--lines-on-a-phone:2"),
        (["    " + "a" * 73], "--lines:1;--lines-on-a-phone:3"),
        ([" " * 60], "--lines:1"),
    ],
)
def test_a_box_of_code_says_how_many_lines_it_has(lines, style):
    soup = soup_of('<div class="output"><pre>' + "\n".join(lines) + "\n</pre></div>")
    page_code.wrap_lines(soup)
    assert soup.pre["style"] == style


def test_a_sign_stays_with_its_number():
    tokens = ("f", "(", "-", "math", ".", "inf", ")", " ", "&lt;", " ", "1e-5", " ", "-", " ", "x")
    code = "".join(token if token == " " else f"<b>{token}</b>" for token in tokens)
    soup = soup_of(f'<div class="highlight"><pre>{code}\n</pre></div>')
    before = soup.pre.get_text()
    page_code.wrap_lines(soup)
    assert soup.pre.get_text() == before
    assert [kept.get_text() for kept in soup.select(".mt-whole")] == ["-math", "1e-5"]


def test_words_of_a_command_are_not_divided_at_their_hyphens():
    command = "mtcourse page runs/first --out my-page - -> a-name-that-is-longer-than-a-line\n"
    soup = soup_of(f'<div class="highlight"><pre>{command}</pre></div>')
    page_code.wrap_lines(soup)
    assert soup.pre.get_text() == command
    assert [kept.get_text() for kept in soup.select(".mt-whole")] == ["--out", "my-page", "->"]


@pytest.mark.parametrize(
    ("printed", "scrolls"),
    [
        ("┏━━┓\n┃ab┃\n", True),
        ("layer 1   98.2\nlayer 2   97.1\n", True),
        ("tensor([[1, 0],\n        [0, 1],\n        [0, 0]])\n", True),
        ("a | b\nHij deed het raam niet open.\n", False),
        ("a  b\n", False),
    ],
)
def test_what_a_program_has_drawn_scrolls_and_the_keyboard_reaches_it(printed, scrolls):
    soup = soup_of(
        f'<div class="cell_output"><div class="highlight"><pre>{printed}</pre></div></div>'
    )
    page_code.keep_drawings(soup)
    assert soup.pre.get("tabindex") == ("0" if scrolls else None)
    assert ("joined" in soup.pre.get("class", [])) == ("┏" in printed), "its lines meet"


def test_the_style_sheet_knows_how_long_the_lines_of_printed_columns_are():
    printed = "layer 1   98.2\nlayer 12   97.1\n"
    soup = soup_of(f'<div class="cell_output"><div class="output"><pre>{printed}</pre></div></div>')
    page_code.wrap_lines(soup)
    page_code.keep_drawings(soup)
    assert soup.pre["style"] == "--lines:2;--columns:15"


def test_long_runs_of_code_may_break_at_their_joints_and_short_ones_nowhere():
    for tokens, shown in (
        (
            ("encode", ".", "pieces", "(", "sentence_of_it", ")"),
            "encode|.pieces(|sentence_of_it)",
        ),
        (("f", "(", "a", ".", "b", ")"), "f(a.b)"),
    ):
        code = "".join(f"<b>{token}</b>" for token in tokens)
        soup = soup_of(f'<div class="highlight"><pre>{code}\n</pre></div>')
        page_code.wrap_lines(soup)
        assert soup.pre.get_text() == "".join(tokens) + "\n"
        breaks = "".join("|" if part.name == "wbr" else part.get_text() for part in soup.span)
        assert breaks.strip() == shown


def test_long_words_that_a_program_prints_may_break_at_their_joints():
    printed = (
        "a.b mtcourse.layers.attention.scaled_dot_product 9.75 case:mixed|eff:no|tok:13a|v:2.6.0"
    )
    soup = soup_of(f'<div class="output"><pre>{printed}\n</pre></div>')
    page_code.wrap_lines(soup)
    assert soup.pre.get_text() == printed + "\n"
    for place in soup.find_all("wbr"):
        place.replace_with("¦")
    assert soup.pre.get_text().strip() == (
        "a.b mtcourse¦.layers¦.attention¦.scaled_¦dot_¦product 9.75 "
        "case:mixed|¦eff:no|¦tok:13a|¦v:2.6.0"
    )


def test_headings_and_signatures_of_the_package_break_before_its_names():
    module = "mtcourse.chapters.attention.explorer"
    soup = soup_of(
        f'<article><h2>{module}<a class="headerlink" href="#module-{module}">#</a></h2>'
        f'<h2>Words, and more.of them<a class="headerlink" href="#words">#</a></h2>'
        f'<dt class="sig"><span class="descclassname"><span class="pre">{module}.</span></span>'
        '<span class="descname"><span class="pre">Targets</span></span>'
        '<span class="sig-paren">(</span><em>low</em><span class="sig-paren">)</span></dt>'
        "</article>"
    )
    page_code.let_names_break(soup)
    for place in soup.find_all("wbr"):
        place.replace_with("¦")
    names = "mtcourse¦.chapters¦.attention¦.explorer"
    assert [one.get_text() for one in soup.find_all(["h2", "dt"])] == [
        f"{names}#",
        "Words, and more.of them#",
        f"{names}¦.Targets(¦low)",
    ]


def test_a_name_does_not_break_within_square_brackets():
    soup = soup_of("<article><p><code>attention_weights(P[:x.shape[0]])</code></p></article>")
    page_code.let_names_break(soup)
    assert soup.code.get_text("|") == "attention_|weights|(|P[:x.shape[0]])"


def test_a_long_name_may_break_at_its_joints_and_a_short_one_nowhere():
    name = "mtcourse.layers.attention_weights"
    soup = soup_of(f"<article><code>{name}</code><code>d_model</code><code>a b</code></article>")
    page_code.let_names_break(soup)
    long, short, plain = soup.find_all("code")
    assert long.get_text() == name
    assert str(long) == "<code>mtcourse<wbr/>.layers<wbr/>.attention_<wbr/>weights</code>"
    assert short.wbr is None
    assert plain.wbr is None


def test_a_name_may_break_wherever_it_occurs():
    soup = soup_of("<article>" + "<p><code>attention_weights</code></p>" * 2 + "</article>")
    page_code.let_names_break(soup)
    assert [len(code.find_all("wbr")) for code in soup.find_all("code")] == [1, 1]


def test_in_the_contents_a_name_may_break_before_a_capital_and_a_heading_may_not():
    texts = ("DecoderModelConfig", "Real sentences: LibreOffice's help")
    links = "".join(f"<a>{text}</a>" for text in texts)
    soup = soup_of(f'<nav class="page-toc">{links}</nav>')
    page_code.let_names_break(soup)
    assert [link.get_text("|") for link in soup.find_all("a")] == ["Decoder|Model|Config", texts[1]]


def test_empty_brackets_and_the_ending_of_a_file_stay_with_their_name():
    for name, parts in (
        ("embedding_gradient()", "embedding_|gradient()"),
        ("scripts/measure_kv_cache.py", "scripts/|measure_|kv_|cache.py"),
        ("backward(gradient_of_all)", "backward|(|gradient_|of_|all)"),
    ):
        soup = soup_of(f"<article><p><code>{name}</code></p></article>")
        page_code.let_names_break(soup)
        assert soup.code.get_text("|") == parts


@pytest.mark.parametrize(("columns", "marked"), [(2, []), (3, [True, False, False])])
def test_a_cell_with_much_text_among_several_is_no_narrow_column(columns, marked):
    cells = ["a sentence that goes on for more than a line of a phone", "short", "12"][:columns]
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    soup = soup_of(f"<article><table><tr>{row}</tr></table></article>")
    page_tables.widen_long_cells(soup)
    found = [page_tables.LONG in cell.get("class", []) for cell in soup.find_all("td")]
    assert found == (marked or [False] * columns)


def test_a_column_with_words_has_room_on_a_phone_and_one_of_numbers_or_names_needs_none():
    rows = [("form", "what it does", "name", "n"), ("1 and 0", "it multiplies weights", "mask", 7)]
    written = "".join(
        "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(("th", "td"), rows, strict=True)
    )
    soup = soup_of(f"<article><table>{written}</table></article>")
    page_tables.give_columns_room(soup)
    assert [cell.get("style") for cell in soup.find_all("th")] == ["--w:7", "--w:16", None, None]
    written = written.replace("<th>n</th>", "").replace("<td>7</td>", "")
    few = soup_of(f"<article><table>{written}</table></article>")
    page_tables.give_columns_room(few)
    assert [cell.get("style") for cell in few.find_all("th")] == ["--w:7", "--w:13", None]


@pytest.mark.parametrize(
    ("first", "columns", "kept"),
    [
        (("form", "scaled dot product", "additive"), 3, True),
        (("form", "a", "b"), 2, False),
        (("form", "unbegreiflicherweise", "b"), 3, False),
        (("form", '<span class="math">n</span>', "b"), 3, False),
    ],
)
def test_the_names_of_rows_stay_in_sight_where_they_leave_room_for_another_column(
    first, columns, kept
):
    rows = [(name, "12", "13")[:columns] for name in first]
    written = "".join(
        "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(("th", "td", "td"), rows, strict=True)
    )
    soup = soup_of(f"<article><table>{written}</table></article>")
    page_tables.keep_names_in_sight(soup)
    assert (page_tables.NAMED in soup.table.get("class", [])) == kept


def test_in_headings_and_ranges_nothing_is_divided_at_a_hyphen():
    soup = soup_of(
        "<article><h1>9. Multi-head attention</h1><p>Multi-head attention</p>"
        "<table><tr><td>rows 1–4 and 12–100</td></tr></table></article>"
    )
    page_tables.keep_together(soup)
    kept = [one.get_text() for one in soup.select(".mt-whole")]
    assert kept == ["Multi-head", "1–4", "12–100"]


@pytest.mark.parametrize(
    ("place", "broken"),
    [
        ('<div class="page-toc">{}</div>', "mtcourse|.text|.Blank|Scores"),
        ('<ul class="indextable"><li>{}</li></ul>', "mtcourse|.text|.BlankScores"),
    ],
)
def test_in_the_contents_names_break_before_a_capital_too_and_in_the_index_before_dots(
    place, broken
):
    soup = soup_of(place.format('<a href="#x">mtcourse.text.BlankScores</a>'))
    page_code.let_names_break(soup)
    assert soup.a.get_text("|") == broken


def test_in_the_index_the_name_of_a_module_breaks_though_it_leads_nowhere():
    module = "<li>mtcourse.chapters.training<ul><li><a>module</a></li></ul></li>"
    soup = soup_of(f'<ul class="indextable">{module}</ul>')
    page_code.let_names_break(soup)
    assert soup.li.get_text("|") == "mtcourse|.chapters|.training|module"


def test_a_constant_is_shown_with_its_value_where_that_is_short_and_no_folder_of_this_machine():
    value = '<dt class="sig"><em class="property"> = {}</em></dt>'
    shown = (7, "x" * 500, f"PosixPath('{ROOT}/data')")
    soup = soup_of(f"<article>{''.join(map(value.format, shown))}</article>")
    page_code.drop_long_values(soup)
    assert [one.get_text() for one in soup.find_all("em")] == [" = 7"]


def test_short_code_is_not_divided_and_long_code_may_be():
    codes = [
        "--resume",
        "--isolation none",
        "f(top_p, p=0.9)",
        "plain",
        "--a-very-long-option of-it",
    ]
    texts = "".join(f'<code class="literal">{code}</code>' for code in codes)
    soup = soup_of(f"<article><p>{texts}</p></article>")
    page_code.let_names_break(soup)
    page_code.keep_short_code(soup)
    whole = [*codes[:3], "--a-very-long-option"]
    assert [one.get_text() for one in soup.select(".mt-whole")] == whole
    assert soup.select(".mt-whole wbr") == []
    assert [one.get_text() for one in soup.select("code")] == codes


def test_an_option_of_a_long_command_stays_whole():
    command = "mtcourse grade --regrade --exercise causal_mask"
    soup = soup_of(f'<article><code class="literal">{command}</code></article>')
    page_code.keep_short_code(soup)
    assert [one.get_text() for one in soup.select("span.mt-whole")] == ["--regrade", "--exercise"]
    assert soup.get_text() == command


# --- tables -------------------------------------------------------------------------------------


def test_only_columns_of_numbers_are_aligned():
    table = (
        "<article><table><thead><tr><th>model</th><th>BLEU</th><th>steps</th></tr></thead><tbody>"
        "<tr><td>a</td><td>−1.5 %</td><td>3</td></tr><tr><td>2</td><td>–</td><td>few</td></tr>"
        "</tbody></table></article>"
    )
    soup = soup_of(table)
    page_tables.align_numbers(soup)
    marked = [cell.get_text() for cell in soup.select(".mt-number")]
    assert marked == ["BLEU", "−1.5 %", "–"]


def test_two_columns_that_begin_alike_are_both_aligned():
    cells = (("10", "10.0", "10.0"), ("120", "inf", "120.0"))
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    soup = soup_of(f"<article><table><tbody>{rows}</tbody></table></article>")
    page_tables.align_numbers(soup)
    assert len(soup.select(".mt-number")) == 6


@pytest.mark.parametrize(
    "text",
    ["7", "inf", "−∞", "1,500", "12 345.6", "-.5", "−3", "≈ 1,024 MB", "97%", "2 s", "4.0e−01"],
)
def test_a_number_is_one(text):
    assert page_tables.is_number(text)


@pytest.mark.parametrize(
    "text", ["500, 1,500, 5,000", "150, 500", "5.1, 0.5", "5.62 4.63", "1 to 2", "%", "a", "1,50"]
)
def test_a_list_of_numbers_is_none(text):
    assert not page_tables.is_number(text)


NUMBERS = (
    "<article><table><tr><td>-0.12</td><td>-∞ or -1e-09</td><td>4.1 (-2.0 to +0.5)</td>"
    "<td>[-0.1, 0.3]</td><td>x-1</td><td>2024-05-01</td><td><code>-1</code></td>"
    "<td>10 of 10</td></tr></table><p>-0.12 within (0.1 to 0.3) or [0.1, 0.3], see [1], f(2, x)"
    " and <code>(1, 2)</code></p></article>"
)
PRINTED = "<article><div class='printed-words'><p>lower by -1.0 (-1.8 to 2)</p></div></article>"


def test_in_tables_a_number_below_zero_has_a_minus_sign():
    soup = soup_of(NUMBERS)
    page_tables.write_minus_signs(soup)
    assert [cell.get_text() for cell in soup.select("td")] == [
        "−0.12", "−∞ or −1e−09", "4.1 (−2.0 to +0.5)", "[−0.1, 0.3]",
        "x-1", "2024-05-01", "-1", "10 of 10",
    ]  # fmt: skip
    assert soup.p == soup_of(NUMBERS).p
    page_tables.write_minus_signs(printed := soup_of(PRINTED))
    assert printed.p.get_text() == "lower by −1.0 (−1.8 to 2)"


def test_an_interval_stands_on_one_line_and_its_text_stays():
    soup = soup_of(NUMBERS)
    page_tables.keep_together(soup)
    assert soup.get_text() == soup_of(NUMBERS).get_text()
    whole = [one.get_text() for one in soup.select(".mt-whole")]
    in_text = ["(0.1 to 0.3)", "[0.1, 0.3]"]
    assert whole == ["(-2.0 to +0.5)", "[-0.1, 0.3]", "10 of 10", *in_text]
    once = str(soup)
    page_tables.keep_together(soup)
    assert str(soup) == once


def test_a_word_with_a_single_letter_is_not_divided():
    soup = soup_of(
        "<article><p>Top-k, top-p and n-grams, not well-known, e-mail-like.</p></article>"
    )
    page_tables.keep_together(soup)
    assert [one.get_text() for one in soup.select(".mt-whole")] == ["Top-k", "top-p", "n-grams"]


def table_of(*rows: tuple[str, ...]):
    cells = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return soup_of(f"<article><table><tbody>{body}</tbody></table></article>")


LONG_SENTENCE = "What is said of it goes on for much more than half of a line of such a table does."
INTERVAL = "−10.5 (−12.0 to −9.1)"


@pytest.mark.parametrize(
    ("rows", "classes"),
    [
        ([("no bug", LONG_SENTENCE), ("top left", "x")], ["mt-c1"]),
        ([("word", "x"), ("other", "y")], None),
        ([(LONG_SENTENCE, "9: 12 min, 3 points")], ["mt-c2"]),
        ([("no bug", *[INTERVAL] * 4)], ["mt-stacked", "mt-c1"]),
        ([("no bug", *[INTERVAL] * 3, f"{INTERVAL} of 9")], ["mt-c1", "mt-c2"]),
        ([("no bug", *[INTERVAL] * 2)], ["mt-c1", "mt-c2", "mt-c3"]),
        ([("no bug", *["abcdefghij"] * 8)], None),
    ],
)
def test_short_cells_stay_on_one_line_as_far_as_there_is_room(rows, classes):
    soup = table_of(*rows)
    page_tables.keep_short_columns(soup)
    assert soup.table.get("class") == classes


def test_the_words_of_a_head_need_room_too():
    soup = table_of(("no bug", *[INTERVAL] * 2))
    head = "".join(f"<th>{'x' * 26}</th>" for _ in range(3))
    soup.table.insert(0, soup_of(f"<thead><tr>{head}</tr></thead>"))
    page_tables.keep_short_columns(soup)
    assert soup.table.get("class") == ["mt-stacked"]


def test_a_table_of_many_columns_is_set_more_tightly():
    row = "<tr>" + "<td>1</td>" * page_tables.MANY + "</tr>"
    soup = soup_of(f"<article><table>{row}</table><table><tr><td>1</td></tr></table></article>")
    page_tables.tighten_wide_tables(soup)
    assert [table.get("class") for table in soup.select("table")] == [[page_tables.WIDE], None]


# --- names --------------------------------------------------------------------------------------


def test_what_unfolds_is_named_by_what_it_shows_and_told_apart():
    bar = (
        '<details><summary aria-label="Toggle hidden content"><p>Show code</p></summary></details>'
    )
    soup = soup_of(mend(f"<!DOCTYPE html>\n<html><body>{bar}{bar}</body></html>"))
    names = [" ".join(one.get_text().split()) for one in soup.find_all("summary")]
    assert names == ["Show code", "Show code (2)"]
    assert not soup.select("summary[aria-label]")


# --- faces --------------------------------------------------------------------------------------


def test_without_the_package_pages_are_set_in_the_readers_own_faces(monkeypatch):
    monkeypatch.setattr(page_fonts, "PACKAGE", "no_such_package")
    assert page_fonts.font_folder() is None

    class App:
        def __getattr__(self, name):
            raise AssertionError(f"nothing is to be added: {name}")

    page_fonts.setup(App())


def test_a_face_is_cut_down_to_what_the_book_uses(tmp_path):
    from fontTools.ttLib import TTFont

    face = next(face for face in page_fonts.FACES if face.family == "MT Mono")
    page_fonts.cut_down(page_fonts.font_folder() / face.source, face, tmp_path / face.file)
    font = TTFont(tmp_path / face.file)
    assert {*range(0x20, 0x7F), 0x2581} <= set(font.getBestCmap()) <= face.signs
    assert [axis.axisTag for axis in font["fvar"].axes] == ["wght"]
    assert "OFL" in str(font["name"].getDebugName(14))
    rule = page_fonts.font_face(face)
    assert "font-display: swap" in rule
    assert face.file in rule


def test_for_paper_a_variable_face_is_one_file_for_each_weight(tmp_path):
    from fontTools.ttLib import TTFont

    variable = [face for face in page_fonts.FACES if face.axes]
    for face in page_fonts.FACES:
        files = {one.file for one in face.in_each_weight()}
        assert len(files) == len(face.in_each_weight()) == (2 if face in variable else 1)
    light, heavy = next(face for face in variable if face.family == "MT Mono").in_each_weight()
    page_fonts.make_fonts(page_fonts.font_folder(), tmp_path, [light, heavy])
    weights = []
    for face in (light, heavy):
        font = TTFont(tmp_path / face.file)
        assert "fvar" not in font
        weights.append(font["OS/2"].usWeightClass)
    assert weights == [400, 700]
    rules = (tmp_path / "fonts.css").read_text("utf-8")
    assert [f"font-weight: {weight};" in rules for weight in weights] == [True, True]


# --- cards --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Exercises: 8, about 115 minutes"),
        ("nl", "Opgaven: 8, ongeveer 115 minuten"),
        ("fr", "Exercises: 8, about 115 minutes"),
    ],
)
def test_a_chapter_begins_with_the_way_to_its_exercises(language, told):
    line = exercise_cards.way_there("8 exercises · about 115 minutes · 21 points", language)
    assert line.astext() == told
    assert line.next_node(nodes.reference)["refid"] == "exercises"


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "easy about 12 minutes 1 point"), ("nl", "makkelijk ongeveer 12 minuten 1 punt")],
)
def test_a_card_speaks_the_language_of_its_book(language, told):
    exercise = exercise_cards.Exercise("X", "read", "●○○", "about 12 minutes", "1 point")
    item = nodes.list_item("", nodes.paragraph("", "", nodes.literal("", "x")))
    exercise_cards.make_card(item, {"x": exercise}, language)
    facts = item.children[-1]
    assert " ".join(part.astext() for part in facts) == told
    assert facts.children[0]["classes"] == ["level-easy"]


def test_all_that_notebooks_say_of_exercises_is_known_in_dutch():
    known = set(exercise_cards.FACTS_IN["nl"])
    for path in sorted((ROOT / "exercises").glob("[0-9]*.ipynb")):
        summary, exercises = exercise_cards.read_exercises(path)
        told = [summary, *exercise_cards.LEVELS.values()]
        told += [f"{one.minutes} {one.points}" for one in exercises.values()]
        words = {word for one in told for word in one.replace("·", " ").split()}
        assert {word for word in words if not word.isdigit()} <= known, path.name


def test_a_card_leads_to_the_claims_that_it_names():
    said = nodes.paragraph("", "", nodes.literal("", "D01"), nodes.Text(", read: x (A07, B10)."))
    exercise = exercise_cards.Exercise("X", "read", "●○○", "about 12 minutes", "1 point")
    exercise_cards.make_card(nodes.list_item("", said), {"D01": exercise}, "en")
    assert said.astext() == "D01, read: x (A07, B10)."
    links = list(said.findall(addnodes.pending_xref))
    assert [link["reftarget"] for link in links] == ["claim-a07", "claim-b10"]
    assert not any(link["refwarn"] for link in links)


@pytest.mark.parametrize("page", sorted(path.stem for path in BOOK.glob("[0-9]*.md")))
def test_each_exercise_that_a_chapter_lists_has_what_its_card_says(page):
    summary, exercises = exercise_cards.read_exercises(ROOT / "exercises" / f"{page}.ipynb")
    assert "points" in summary
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8").split("\n## Exercises\n")[1]
    listed = {
        line.split("`")[1] for line in text.split("\n## ")[0].splitlines() if line.startswith("- `")
    }
    assert listed == set(exercises)
    for exercise in exercises.values():
        assert exercise.title
        assert exercise.level in exercise_cards.LEVELS
        assert exercise.minutes
        assert exercise.points


def test_the_notebook_that_readers_download_has_no_answers():
    for path in sorted((ROOT / "exercises").glob("*.ipynb")):
        roles = {
            cell.metadata.get("mtcourse", {}).get("role") for cell in nbformat.read(path, 4).cells
        }
        assert not roles & {"solution", "hidden", "answer_key"}, path.name


# --- language -----------------------------------------------------------------------------------

MARKED = "het raam", "Niet", "de hond …", "Zij zegt dat de"
NOT_MARKED = "park", "needs it.", "the", "open", "all", "in", "<bos>", "a museum", ""


@pytest.mark.parametrize("words", MARKED)
def test_dutch_quotations_are_marked(words):
    soup = soup_of(f"<article><p><em>{words}</em></p></article>")
    dutch.say_language(soup)
    assert soup.em["lang"] == "nl"


@pytest.mark.parametrize("words", NOT_MARKED)
def test_english_ones_are_not(words):
    soup = soup_of("<article><p><em></em></p></article>")
    soup.em.string = words
    dutch.say_language(soup)
    assert not soup.em.has_attr("lang")


def test_no_word_that_english_has_too_is_taken_for_dutch():
    of_corpus, perhaps_english = dutch.vocabularies()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves its file open
        english = Dictionary.from_files("en_US")
        gc.collect()
    doubtful = {word for word in of_corpus if english.lookup(word)}
    assert doubtful <= perhaps_english


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("He did not open the window. -> Hij deed het raam.", "Hij deed het raam"),
        ("Y = ['Er', 'is', 'een', 'bord', '.'] m = 9", "Er', 'is', 'een', 'bord"),
        ("kleinste → kleine, 2 times", "kleinste → kleine"),
    ],
)
def test_dutch_within_an_output_is_marked_and_its_text_stays(line, marked):
    soup = soup_of(f'<article><div class="cell_output"><pre>{line}</pre></div></article>')
    dutch.say_language(soup)
    assert soup.pre.get_text() == line
    assert [run.get_text() for run in soup.select("[lang=nl]")] == [marked]


@pytest.mark.parametrize(
    ("heads", "marked"),
    [
        (["English", "Dutch"], [False, True]),
        (["translation", "reference"], [True, True]),
        (["our translator", "reference"], [False, False]),  # of another language
        (["Dutch sentence"], []),  # a row with cells that reach over columns
    ],
)
def test_a_column_that_is_said_to_be_dutch_is_dutch_in_every_word(heads, marked):
    head = "".join(f"<th>{name}</th>" for name in heads)
    rows = (
        "<tr><td>Tijf vuilen.</td><td>Trapsgewijs verwijderen</td></tr><tr><td>–</td><td></td></tr>"
    )
    soup = soup_of(
        f"<article><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></article>"
    )
    dutch.say_language(soup)
    found = [cell.has_attr("lang") for cell in soup.select("td")]
    assert found == [*(marked or [False, False]), False, False]


def test_a_role_marks_what_no_rule_can_know():
    soup = soup_of('<article><em class="dutch">in</em></article>')
    dutch.say_language(soup)
    assert soup.em["lang"] == "nl"
