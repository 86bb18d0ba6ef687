"""Code is read as IPython reads it: no magic hides what stands beside it or within it."""

from __future__ import annotations

import ast
import warnings

import pytest

from mtcourse.grading import python_source
from mtcourse.grading.python_source import (
    find_defined_names,
    find_imports,
    find_shared_names,
    is_parsable,
    parse_statements,
)

DEEP = "x = " + "not " * 5000 + "1"


def test_names_and_imports_of_code():
    code = (
        "%matplotlib inline\nimport os\nfrom a import b as c\nx, (y, z) = 1, (2, 3)\ndef f(): g = 1"
    )
    assert find_defined_names(code) == {"x", "y", "z", "f"}
    assert find_imports(code) == ["import os", "from a import b as c"]
    assert find_defined_names("def f(") == set()


MAGICS = {
    "within an if": "if google:\n    %pip install -q 'a @ git+b'",
    "alone within an if": "if google:\n    !pip install a\nelse:\n\t%pip install b",
    "within a function": "def f():\n    if 1:\n        !ls\n    return 2",
    "a shell line": "!ls -l",
    "with a bracket and quotes left open": "!echo \"it's (\nx = 1",
    "over two lines": "!ls \\\n  -l",
    "two shells": "!!ls",
    "its output": "files = !ls",
    "its output, within an if": "if 1:\n    files = !ls",
    "a magic's value": "there = %pwd",
    "help": "?torch",
    "help behind": "torch.nn??",
    "help on a magic": "%timeit?",
    "a whole cell": "%%time",
    "a whole cell, twice": "%%capture said\n%%time",
    "a whole cell, with options": "%%timeit -n 1 -r 1",
    "after empty lines": "\n\n%%time",
    "one for many words": ",print a b",
    "one for all": "/print 1",
    "many": "%pwd\n" * 8,
    "many shell lines": "!echo '\n" * 8,
}


@pytest.mark.parametrize("magic", MAGICS.values(), ids=MAGICS)
def test_a_magic_hides_nothing_that_stands_after_it(magic):
    code = f"{magic}\nimport numpy as np\nanswer = theirs"
    assert is_parsable(code)
    assert find_imports(code) == ["import numpy as np"]
    assert "answer" in find_defined_names(code)
    assert {"theirs"} <= {n.id for s in parse_statements(code) for n in ast.walk(s) if named(n)}


def named(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


@pytest.mark.parametrize(
    "line",
    [
        "%time answer = theirs",
        "%timeit -n 1 -r1 answer = theirs",
        "%prun -q answer = theirs",
        "if 1:\n    %time answer = theirs",
        "time answer = theirs",  # what stands alone needs no %
        "%%timeit answer = theirs\n1",
        "%%time\nanswer = theirs",
        "%%capture\n%%time\nanswer = theirs",
        "%%capture\n%time answer = theirs",
        "get_ipython().run_cell_magic('time', '', 'answer = theirs')",
        ">>> answer = theirs",
        "In [3]: answer = theirs\n   ...: again = 1",
        "    answer = theirs\n    %pwd",
    ],
)
def test_a_magic_hides_nothing_that_it_runs(line):
    assert {"answer"} <= find_defined_names(line)
    assert {"theirs"} <= {n.id for s in parse_statements(line) for n in ast.walk(s) if named(n)}


@pytest.mark.parametrize(
    "code",
    [
        'x = """\n%pip\n!ls\n"""',
        "x = (10\n% 3)",
        "x = 10 \\\n % 3",
        "# %pip?\nx = '!ls' '?'",
        "x = f'{1!r}%'",
        "x: int = 1  # !",
        "x = 1 if 2 != 3 else 4 % 5",
        "x = '\\d'",
    ],
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_what_looks_like_a_magic_is_left_as_it_is(code):
    assert list(map(ast.dump, parse_statements(code))) == list(map(ast.dump, ast.parse(code).body))
    assert [*find_defined_names(code)] == ["x"]


def test_a_text_beside_a_magic_keeps_its_lines():
    texts = [n.value for s in parse_statements('s = """\n%pip\n!ls\n"""\n%pwd\nx = (7\n% 3)')
             for n in ast.walk(s) if isinstance(n, ast.Constant)]  # fmt: skip
    assert texts == ["\n%pip\n!ls\n", "pwd", "", 7, 3]


def test_what_is_not_for_this_python_defines_nothing():
    for magic in (
        "%%writefile helpers.py",
        "%%bash",
        "%%html",
        "%%script python",
        "%%!",
        "%%file a",
    ):
        assert find_defined_names(f"{magic}\nanswer = 1") == set()
    assert find_defined_names("%%R\nanswer <- 1 -> b") == set()
    assert is_parsable("%%R\nanswer <- 1 -> b")


@pytest.mark.parametrize("code", ["def f(", "answer = ", "answer = theirs\n)", "x = '\0'", "if 1:"])
def test_what_is_no_python_is_not_read(code):
    assert parse_statements(code) == []
    assert not is_parsable(code)


def test_a_warning_is_no_fault():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_defined_names(r"answer = '\d'") == {"answer"}


LONG = {
    "too deep": DEEP,
    "magics in large code": "%pwd\n" * 200 + "x = 1\n" * 10_000,
    "shell lines that leave quotes open": "!echo '\n" * 3000,
    "magics within magics": "%%time\n" * 20 + "x = 1",
    "a magic with many words": "%timeit " + ". " * 10_000 + "x",
}


@pytest.mark.parametrize("code", LONG.values(), ids=LONG)
def test_code_that_would_keep_the_grader_busy_is_not_read(code, monkeypatch):
    """What it takes is counted in characters, and not in seconds, which no test asks for."""
    asked = []
    parse = python_source.ast.parse

    def counted(text: str, *rest: object):
        asked.append(len(text))
        return parse(text, *rest)

    monkeypatch.setattr(python_source.ast, "parse", counted)
    if code is not LONG["a magic with many words"]:
        assert not is_parsable(code)
    parse_statements(code)
    assert sum(asked) < 20 * len(code) + 1000


def test_code_may_be_nested_as_deeply_as_anybody_writes_and_no_deeper():
    assert is_parsable("x = " + "not " * 100 + "1")
    assert is_parsable("x = " + " + ".join(["'word'"] * 300))
    assert not is_parsable("x = " + "not " * 1500 + "1")  # some Pythons would


def test_names_that_hold_cells_together():
    code = (
        "import numpy as np, a.b\nfrom c import d as e\n"
        "def f(x, y=default):\n    global made\n    made = inner = x + outside\n    return inner\n"
        "class K(Base):\n    field = value\n"
        "for i in range(3): total = i\n"
        "with open('x') as file: pass\n"
        "%time g = mask(1)\n[one for one in many]\nlambda q: q + free"
    )
    names = find_shared_names(code)
    assert names.bound - {"one"} == {  # from Python 3.12 on a comprehension has no scope
        "np", "a", "e", "f", "made", "K", "i", "total", "file", "g",
    }  # fmt: skip
    assert {"default", "outside", "Base", "value", "mask", "many", "free"} <= names.used
    assert not {"x", "y", "inner", "q", "field"} & (names.used | names.bound)
    assert find_shared_names("def f(") == python_source.SharedNames()
