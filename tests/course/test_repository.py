"""The files around the package say what is true: README, Makefile, versions, constraints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mtcourse

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
SPEAKS_OF_MAKE = ["README.md", "CONTRIBUTING.md", ".ci/run", "book/setup.md"]


def targets_named_in(text: str) -> set[str]:
    """Every x of `make x` in code, inline or in a block."""
    code = re.findall(r"```.*?```|`[^`\n]+`|^ *make .*$", text, re.DOTALL | re.MULTILINE)
    calls = re.findall(r"\bmake((?: [a-z-]+)+)", re.sub(r"#.*", "", "\n".join(code)))
    return {target for call in calls for target in call.split()}


@pytest.mark.parametrize("name", SPEAKS_OF_MAKE)
def test_the_targets_that_a_file_names_exist(name):
    named = targets_named_in((ROOT / name).read_text(encoding="utf-8"))
    assert named, "it names no target: is the pattern right?"
    assert named <= TARGETS


def test_the_readme_names_every_target_but_help():
    assert targets_named_in(README) >= TARGETS - {"help"}


def make(*arguments: str) -> subprocess.CompletedProcess:
    """Calls make as a person would, also from within `make test COVERAGE=...`.

    What is said on make's command line is in the environment of all that it runs. Left there,
    COVERAGE would have these tests run all tests, these among them.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if "MAKE" not in name and f"$({name}" not in MAKEFILE
    }
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_make_alone_lists_the_targets():
    assert {line.split()[0] for line in make().stdout.splitlines()} == TARGETS


@pytest.mark.skipif(sys.platform == "win32", reason="make and sh")
@pytest.mark.parametrize(
    ("failing", "said"),
    [
        ("--only-run", "failed: the chapters"),
        (" tests ", "failed: the package"),
        ("--dist load tests", "failed: the banks of the checks"),
        ("nothing", ""),
    ],
)
def test_make_test_runs_every_group_and_says_which_failed(tmp_path, failing, said):
    log, python = tmp_path / "log", tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\ncase " $*" in *"{failing}"*) exit 1;; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    ended = make("-s", "-o", f"{tmp_path}/test.stamp", "test", f"VENV={tmp_path}")
    groups = log.read_text(encoding="utf-8").splitlines()
    assert len(groups) == 4, groups
    assert (ended.returncode != 0) == bool(said)
    assert said in ended.stdout
    assert ("failed" in ended.stdout) == bool(said)


def test_make_without_a_fitting_python_says_what_to_do(tmp_path):
    done = make("book", f"VENV={tmp_path / 'venv'}", "PYTHONS=python-of-nobody")
    assert done.returncode != 0
    assert "needs Python 3.11 or later" in done.stdout
    assert "python.org" in done.stdout
    assert not (tmp_path / "venv").exists()


def test_the_readmes_python_translates(capsys):
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(program.splitlines()) <= 14
    exec(compile(program, "README.md", "exec"), {})
    assert "-> Gisteren opende de oude bakker de winkel niet." in capsys.readouterr().out


def test_the_files_that_the_readme_shows_are_there():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    paths = [link for link in links if not link.startswith("http")]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_pictures_of_the_readme_have_alternative_text():
    assert re.findall(r"!\[\]\(", README) == []


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == mtcourse.__version__ == citation["version"]


def test_the_changelog_takes_new_entries():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", changelog, re.MULTILINE)
    assert headings[0] == "Unreleased"


def test_only_a_version_that_the_changelog_lists_has_a_date():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    listed = re.search(rf"^## {re.escape(mtcourse.__version__)} - (.+)$", changelog, re.MULTILINE)
    assert str(citation.get("date-released", "")) == (listed[1] if listed else "")


def lines_of(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def test_each_requirement_is_pinned_to_a_version_that_it_allows():
    pins = {
        canonicalize_name(pin.name): pin for pin in map(Requirement, lines_of("constraints.txt"))
    }
    extras = PROJECT["optional-dependencies"].values()
    wanted = [
        *lines_of("requirements.txt"),
        *PROJECT["dependencies"],
        *(r for e in extras for r in e),
    ]
    for requirement in map(Requirement, wanted):
        pin = pins[canonicalize_name(requirement.name)]
        (version,) = [part.version for part in pin.specifier]
        assert requirement.specifier.contains(version), f"{requirement} is pinned as {pin}"


@pytest.mark.parametrize(
    "path",
    [
        *sorted((ROOT / ".github" / "workflows").glob("*.yml")),
        ROOT / ".pre-commit-config.yaml",
        ROOT / ".gitlab-ci.yml",
        ROOT / ".readthedocs.yaml",
        ROOT / "_config.yml",
        ROOT / "_toc.yml",
        ROOT / "CITATION.cff",
    ],
    ids=lambda path: path.name,
)
def test_settings_are_yaml(path):
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)


def test_the_development_container_makes_what_exists():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    stamp = container["postCreateCommand"].removeprefix("make ").replace(".venv", "$(VENV)")
    assert f"\n{stamp}:" in MAKEFILE


@pytest.mark.parametrize("script", [".ci/run", "binder/postBuild"])
def test_shell_scripts_parse_and_may_be_run(script):
    subprocess.run(["bash", "-n", script], cwd=ROOT, check=True)
    assert (ROOT / script).stat().st_mode & 0o100, "it is not executable"


def test_importing_the_package_brings_no_torch():
    """`import mtcourse` costs nothing; the parts import what they need."""
    program = "import mtcourse, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0


def test_every_folder_of_the_package_is_a_package():
    """Else it is not installed, and the contracts on imports do not see it."""
    folders = {path.parent for path in (ROOT / "mtcourse").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
