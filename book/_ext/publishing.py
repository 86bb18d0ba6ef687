"""Where the book and its repository are published, and what a page says of itself.

Both addresses stand in ``_config.yml`` and nowhere else: ``repository: url`` and ``html: baseurl``,
which a repository on GitHub needs only if its book is not where GitHub publishes it.
Until the repository has an address no page shows a link to it: no launch button, no link to a file;
a command takes the course's folder instead, and what is in a ``:::{only} published`` is left out.
What is in a ``:::{only} released`` speaks of the files of a release, which not every host keeps.
Until the book has an address there is no sitemap, and no page has a canonical address.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from bs4 import BeautifulSoup
from docutils import nodes

from mtcourse import __version__
from mtcourse.repository import checked_address

IN_PAGES = "https://github.com/mtcourse/mtcourse"
"""What pages write for the repository's address."""
IS_PUBLISHED = "published"
"""The tag of a book whose repository has an address."""
IS_RELEASED = "released"
"""The tag of a book whose repository keeps files with each release."""
CLONED = re.compile(rf"^git clone {re.escape(IN_PAGES)}(?:\.git)?(?:\n|$)", re.MULTILINE)
INSTALLED = re.compile(
    rf"(?P<quote>[\"'])mtcourse(\[\w+\])? @ git\+{re.escape(IN_PAGES)}(?P=quote)"
)
"""What commands take from the repository."""
OURS = re.compile(rf"{re.escape(IN_PAGES)}(?![\w-]|\.\w)")
LINKED = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\({re.escape(IN_PAGES)}(?:/[^)\s]*)?\)")
"""A link of Markdown into the repository."""
GITHUB = "https://github.com/"
"""How an address begins whose host keeps files with releases, and that Colab and Binder know."""
WHOLE_BOOK = {"mtcourse.pdf": "the whole book (PDF)", "mtcourse.epub": "the whole book (ePub)"}
"""The files of a release (``.github/workflows/release.yml``), and what a button calls them."""
DOWNLOADS = {
    ".ipynb": ("this page as a notebook (.ipynb)", "Download this page as a notebook", None),
    ".md": ("this page as text (.md)", "Download the text of this page", None),
    ".pdf": ("print this page", "Print this page, also into a PDF", "fas fa-print"),
}
"""What the theme's download buttons are called, by the theme's own name of each, and an icon that
says this too where the theme's does not."""
SET_UP = "book/setup"
"""The page that says, under ``whole-book``, how to make these files."""
LONGEST_DESCRIPTION = 200


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("config-inited", place_site)
    app.connect("builder-inited", tag_published)
    app.connect("doctree-resolved", place_address)
    # After the theme, which adds its buttons at 500 and 501.
    app.connect("html-page-context", describe_page, priority=910)
    app.connect("build-finished", write_services, priority=960)
    app.add_css_file("progress.css")
    app.add_js_file("progress.js", loading_method="defer")
    app.add_css_file("versions.css")
    app.add_js_file("versions.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# --- the repository ----------------------------------------------------------------------------


def repository_of(app) -> str | None:
    """The repository's address; None where it has none."""
    return checked_address(app.config.html_theme_options.get("repository_url"))


def is_on_github(address: str | None) -> bool:
    """Whether releases have files, and Colab and Binder open the notebooks of the repository."""
    return (address or "").startswith(GITHUB)


def site_of(address: str | None) -> str | None:
    """Where GitHub publishes the book of a repository; None for a repository of another host."""
    if address is None or not is_on_github(address):
        return None
    owner, repository = urlsplit(address).path.strip("/").split("/")[:2]
    site = f"{owner}.github.io".lower()
    return f"https://{site}/" if repository.lower() == site else f"https://{site}/{repository}/"


def place_site(app, config) -> None:
    """Gives the book the address at which GitHub publishes it, unless it has another one."""
    address = repository_of(app)
    if address is not None:
        config.html_theme_options["repository_url"] = address
    config.html_baseurl = config.html_baseurl or site_of(address) or ""


def tag_published(app) -> None:
    """Sets the tags of a book whose repository has an address, and keeps files with releases."""
    address = repository_of(app)
    if address is not None:
        app.tags.add(IS_PUBLISHED)
    if is_on_github(address):
        app.tags.add(IS_RELEASED)


def place_address(app, doctree: nodes.document, docname: str) -> None:
    """Puts the repository's address into links and commands, or takes the links away."""
    address = repository_of(app)
    for link in list(doctree.findall(nodes.reference)):
        if not leads_to_repository(link.get("refuri", "")):
            continue
        if address is None:
            link.replace_self(nodes.inline("", "", *link.children))
        else:
            link["refuri"] = link["refuri"].replace(IN_PAGES, address, 1)
    for command in list(doctree.findall(nodes.literal_block)):
        if IN_PAGES in command.astext():
            text = placed(command.astext(), address)
            command.rawsource = text
            command.children = []
            command += nodes.Text(text)


def placed(text: str, address: str | None) -> str:
    """Commands and Markdown with the repository's address.

    Without one, commands take the course from its folder, which whoever reads has; of a link its
    words remain; and what a page writes before the names of files leads there from ``book``.
    """
    if address is not None:
        return OURS.sub(address, text)

    def folder(found: re.Match) -> str:
        return f"{found['quote']}./mtcourse{found[2]}{found['quote']}" if found[2] else "./mtcourse"

    text = INSTALLED.sub(folder, CLONED.sub("", text))
    return LINKED.sub(r"\1", text).replace(f'"{IN_PAGES}/blob/main"', '".."')


def leads_to_repository(address: str) -> bool:
    """Whether a link leads into the course's own repository."""
    return address == IN_PAGES or address.startswith(f"{IN_PAGES}/")


def drop_buttons(buttons: list[dict]) -> list[dict]:
    """The buttons of a page without those that need the repository."""
    kept = []
    for button in buttons:
        if button["type"] == "group":
            inner = drop_buttons(button["buttons"])
            if inner:
                kept.append({**button, "buttons": inner})
        elif "/not-set" not in str(button.get("url", "")):
            kept.append(button)
    return kept


def name_downloads(buttons: list[dict]) -> None:
    """Says of the theme's download buttons what they do: the one called .pdf prints this page."""
    for group in buttons:
        if group.get("label") == "download-buttons":
            for button in group["buttons"]:
                if named := DOWNLOADS.get(button.get("text")):
                    button["text"], button["tooltip"], icon = named
                    if icon:
                        button["icon"] = icon


def offer_whole_book(buttons: list[dict], address: str) -> None:
    """Adds to what a page offers as a download the whole book, in the files of the last release."""
    for group in buttons:
        if group.get("label") == "download-buttons":
            group["buttons"] += [
                {
                    "type": "link",
                    "url": f"{address}/releases/latest/download/{name}",
                    "text": text,
                    "tooltip": f"Download {text}",
                    "icon": "fas fa-book",
                    "label": f"download-{name}",
                }
                for name, text in WHOLE_BOOK.items()
            ]


def tell_how_to_get_whole_book(buttons: list[dict], address: str) -> None:
    """Adds to what a page offers as a download where it stands how to make the other files."""
    for group in buttons:
        if group.get("label") == "download-buttons":
            group["buttons"].append(
                {
                    "type": "link",
                    "url": address,
                    "text": "make a PDF or e-book of it all",
                    "tooltip": "How to make a PDF or an e-book of the whole book",
                    "icon": "fas fa-book",
                    "label": "download-whole-book",
                }
            )


# --- the head of a page ------------------------------------------------------------------------


def describe_page(app, docname: str, template: str, context: dict, doctree) -> None:
    """What a search engine and a shared link show of a page."""
    address, buttons = repository_of(app), context.get("header_buttons")
    name_downloads(buttons or [])
    if buttons and address is None:
        context["header_buttons"] = buttons = drop_buttons(buttons)
    if buttons and is_on_github(address):
        offer_whole_book(buttons, address)
    elif buttons and SET_UP in app.env.found_docs:
        page = context["pathto"](SET_UP).removesuffix("#")  # which is itself, on that page
        tell_how_to_get_whole_book(buttons, f"{page}#whole-book")
    tags = context.get("metatags", "")
    if doctree is not None:
        title = BeautifulSoup(context.get("title", ""), "html.parser").get_text()
        tags += head_tags(
            title=title,
            description=description_of(doctree) or f"{title} – {app.config.html_title}",
            site=app.config.html_title,
            address=context.get("pageurl") or "",
        )
    context["metatags"] = tags


def head_tags(title: str, description: str, site: str, address: str) -> str:
    """The tags of a page's head, as HTML."""
    said = {"og:title": title, "og:type": "article", "og:site_name": site}
    said["og:description"] = description
    if address:
        said["og:url"] = address
    lines = [f'<meta property="{name}" content="{escape(text)}" />' for name, text in said.items()]
    lines.insert(0, f'<meta name="description" content="{escape(description)}" />')
    return "\n".join(["", *lines, ""])


def description_of(doctree: nodes.document) -> str:
    """The first paragraph of a page that is a sentence, cut after a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        above = paragraph.parent
        if not isinstance(above, nodes.section | nodes.document):
            continue  # in a box, a list, a table
        said = paragraph.deepcopy()
        for raw in list(said.findall(nodes.raw)):
            raw.parent.remove(raw)
        text = " ".join(said.astext().split())
        if len(text) < 40:
            continue
        if text.endswith(":"):  # what it announces is no text
            text = f"{text[:-1]}."
        if len(text) <= LONGEST_DESCRIPTION:
            return text
        return text[: LONGEST_DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
    return ""


def name_a_colour_mode(soup: BeautifulSoup) -> None:
    """The theme complains of a first visit, on which no colour mode has been chosen."""
    for script in soup.select("head script:not([src])"):
        text = script.string or ""
        if 'localStorage.getItem("mode") || ""' in text:
            script.string = text.replace(
                'localStorage.getItem("mode") || ""', 'localStorage.getItem("mode") || "auto"'
            )


def drop_empty_tags(soup: BeautifulSoup) -> None:
    """A tag of the head that says nothing."""
    for tag in soup.select('meta[name="docsearch:version"][content=""]'):
        tag.decompose()


def keep_one_viewport(soup: BeautifulSoup) -> None:
    """Sphinx and both themes each set the width of a page."""
    for tag in soup.select("head meta[name=viewport]")[1:]:
        tag.decompose()


HEAD = (name_a_colour_mode, drop_empty_tags, keep_one_viewport)
"""How each page's head is mended after it is written."""


# --- beside the pages --------------------------------------------------------------------------


def write_services(app, exception) -> None:
    """Writes what robots read, the list of versions, and a page for addresses that lead nowhere."""
    if exception is not None or app.builder.format != "html":
        return
    folder, site = Path(app.outdir), (app.config.html_baseurl or "").rstrip("/")
    robots = "User-agent: *\nAllow: /\n"
    beginning = app.builder.get_target_uri(app.config.root_doc)
    for name in ("sitemap.xml", "404.html"):
        (folder / name).unlink(missing_ok=True)
    if site:
        robots += f"Sitemap: {site}/sitemap.xml\n"
        pages = [app.builder.get_target_uri(page) for page in sorted(app.env.found_docs)]
        (folder / "sitemap.xml").write_text(sitemap(site, pages), encoding="utf-8")
        (folder / "404.html").write_text(
            not_found(app.config.html_title, urlsplit(site).path, beginning), encoding="utf-8"
        )
    (folder / "robots.txt").write_text(robots, encoding="utf-8")
    for source in (folder / "_sources").rglob("*"):
        if source.suffix in {".md", ".ipynb"}:
            place_in_source(source, repository_of(app))
    # scripts/arrange_versions.py lists the others when it puts the book beside them.
    alone = {"here": __version__, "up": "", "versions": []}
    (folder / "versions.json").write_text(json.dumps(alone) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(redirect(app.config.html_title, beginning), encoding="utf-8")


def place_in_source(source: Path, address: str | None) -> None:
    """Puts the repository's address into what a page offers as its text or notebook."""
    text = source.read_text(encoding="utf-8")
    if IN_PAGES not in text:
        return
    if source.suffix == ".ipynb":
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            cell["source"] = placed("".join(cell["source"]), address)
        text = json.dumps(notebook, ensure_ascii=False, separators=(",", ":")) + "\n"
    else:
        text = placed(text, address)
    source.write_text(text, encoding="utf-8")


def sitemap(site: str, pages: list[str]) -> str:
    """The list of all pages, for search engines."""
    lines = [f"  <url><loc>{escape(f'{site}/{page}')}</loc></url>" for page in pages]
    head = '<?xml version="1.0" encoding="utf-8"?>'
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return "\n".join([head, f'<urlset xmlns="{space}">', *lines, "</urlset>", ""])


def redirect(title: str, leads: str, up: str = "") -> str:
    """A page that leads to another one at once.

    Args:
        title: of the other page.
        leads: its address from the book's folder.
        up: the way from this page to the book's folder, such as "../".
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="{escape(up)}_static/favicon.svg" type="image/svg+xml">
<meta http-equiv="refresh" content="0; url={escape(up + leads)}">
</head>
<body><p><a href="{escape(up + leads)}">{escape(title)}</a></p></body>
</html>
"""


def not_found(title: str, root: str, first: str) -> str:
    """A page in the book's look, whose links lead to the book from any depth."""
    root = escape(root)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Page not found — {escape(title)}</title>
<link rel="icon" href="{root}/_static/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{root}/_static/fonts/fonts.css">
<style>
:root {{ color-scheme: light dark; accent-color: light-dark(#185a90, #7cbcf2); }}
body {{ font: 1.125rem/1.6 "MT Serif", Georgia, serif; max-width: 34rem; margin: 12vh auto;
  padding: 0 1rem; color: light-dark(#1c232b, #dfe5eb); background: light-dark(#fff, #14181e); }}
.book {{ font: .95rem/1.4 "MT Sans", system-ui, sans-serif; padding-top: .8rem;
  border-top: 3px solid light-dark(#185a90, #7cbcf2); }}
h1 {{ font-size: 2.5rem; line-height: 1.15; }}
a {{ color: light-dark(#185a90, #7cbcf2); }}
li {{ padding: .2rem 0; }}
input, button {{ font: 1rem "MT Sans", system-ui, sans-serif; padding: .4rem .7rem; }}
</style>
</head>
<body>
<main>
<p class="book">{escape(title)}</p>
<h1>This page does not exist</h1>
<p>It may have been renamed, or the address may have a typing error.</p>
<form action="{root}/search.html" role="search">
<input type="search" name="q" aria-label="Search the book"> <button>Search the book</button>
</form>
<ul>
<li><a href="{root}/{escape(first)}">The beginning of the book</a></li>
<li><a href="{root}/genindex.html">The index</a></li>
</ul>
</main>
</body>
</html>
"""
