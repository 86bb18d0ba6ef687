"""The files for GitHub, GitLab and Read the Docs call what exists, and publish what was built."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.course.test_book import load_extension
from tests.course.test_repository import MAKEFILE, ROOT, TARGETS

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HOSTS = [*WORKFLOWS, ROOT / ".gitlab-ci.yml", ROOT / ".readthedocs.yaml"]
NAMES = [path.name for path in HOSTS]
BUILT = re.search(r"^HTML +:= (\S+)", MAKEFILE, re.MULTILINE)[1]


def settings(path: Path) -> dict:
    # YAML 1.1 reads the key "on" as true.
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(path: Path) -> list[str]:
    """All that a file has a shell run, a line each."""
    given = settings(path)
    if path.name == ".gitlab-ci.yml":
        return given["pages"]["script"]
    if path.name == ".readthedocs.yaml":
        return given["build"]["jobs"]["build"]["html"]
    steps = [step for job in given["jobs"].values() for step in job["steps"]]
    return [line for step in steps for line in step.get("run", "").splitlines()]


@pytest.mark.parametrize("path", HOSTS, ids=NAMES)
def test_the_targets_exist(path):
    named = {target for line in commands(path) for target in re.findall(r"\bmake ([\w-]+)", line)}
    assert named
    assert named <= TARGETS


@pytest.mark.parametrize("path", HOSTS, ids=NAMES)
def test_the_scripts_exist_and_know_their_options(path):
    for line in commands(path):
        for script in re.findall(r"python (\S+\.py)", line):
            helped = subprocess.run(
                [sys.executable, script, "--help"],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            )
            options = re.findall(r" (--[a-z-]+)", line)
            assert [option for option in options if option not in helped.stdout] == []


def run_as_the_host_does(folder: Path, path: Path, **variables: str) -> None:
    """Runs a file's commands where make only makes an index.html."""
    (folder / "bin").mkdir()
    make = folder / "bin" / "make"
    make.write_text(
        f"#!/bin/sh\n[ $1 = book ] && mkdir -p {BUILT} && echo x > {BUILT}/index.html\n"
    )
    make.chmod(0o755)
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", **variables}
    for line in commands(path):
        subprocess.run(["bash", "-ec", line], cwd=folder, env=environment, check=True)


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
def test_gitlab_publishes_what_was_built(tmp_path):
    path = ROOT / ".gitlab-ci.yml"
    run_as_the_host_does(tmp_path, path)
    (kept,) = settings(path)["pages"]["artifacts"]["paths"]
    assert kept == "public"  # no other folder is published
    assert (tmp_path / kept / "index.html").read_text() == "x\n"


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
def test_read_the_docs_publishes_what_was_built(tmp_path):
    output = tmp_path / "_readthedocs"
    run_as_the_host_does(tmp_path, ROOT / ".readthedocs.yaml", READTHEDOCS_OUTPUT=str(output))
    assert (output / "html" / "index.html").read_text() == "x\n"


def test_read_the_docs_is_told_what_it_demands():
    given = settings(ROOT / ".readthedocs.yaml")
    assert set(given) == {"version", "build"}
    assert given["version"] == 2
    assert set(given["build"]) == {"os", "tools", "jobs"}  # the first two are demanded
    assert set(given["build"]["jobs"]["build"]) == {"html"}
    assert given["build"]["tools"] == {"python": "3.11"}  # a text: 3.10 would be 3.1


def test_a_release_has_the_files_that_pages_offer():
    lines = commands(ROOT / ".github" / "workflows" / "release.yml")
    (created,) = (line.split() for line in lines if "gh release create" in line)
    before = lines[: lines.index(" ".join(created))]
    assert "make pdf epub" in before
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "book").glob("*.md"))
    offered = set(re.findall(r"/releases/latest/download/([\w.]+)", pages))
    assert "slides.zip" in offered
    for name in offered | set(load_extension("publishing").WHOLE_BOOK):
        assert f"_build/{name}" in created
    assert before.index("make slides") < before.index(
        ".venv/bin/python -m zipfile -c _build/slides.zip _build/slides"
    )


def test_the_site_is_published_after_each_release():
    names = {settings(path)["name"] for path in WORKFLOWS}
    publish = settings(ROOT / ".github" / "workflows" / "publish.yml")
    (awaited,) = publish[True]["workflow_run"]["workflows"]
    assert awaited in names
    assert (
        publish["jobs"]["publish"]["steps"][-2]["with"]["path"]
        in commands(ROOT / ".github" / "workflows" / "publish.yml")[-1].split()
    )
