"""A notebook that tries to run or to load something wherever a learner's text stands."""

from __future__ import annotations

from tests.helpers.made_results import code, displayed, notebook, text

EVIL = "<script>document.title = 'pwned'</script>"
RAW = (
    EVIL,
    "<img src=x onerror=\"document.title='pwned'\">",
    "<svg onload=\"document.title='pwned'\"><script>document.title='pwned'</script></svg>",
    "<iframe srcdoc=\"<script>top.document.title='pwned'</script>\"></iframe>",
    "<style>@import 'http://127.0.0.1:9/x.css'; body { display: none }</style>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "</pre></code></div></main></body>" + EVIL,
    "<!-- --!>" + EVIL,
    "<details open ontoggle=\"document.title='pwned'\">",
    "<a href=\"javascript:document.title='pwned'\" autofocus onfocus=\"document.title='pwned'\">x",
    "{{ ''.__class__ }}{% raw %}",
    "```\n" * 3 + EVIL,
)
MARKDOWN = (
    "[click](javascript:document.title='pwned')",
    "[click](JaVaScRiPt&colon;document.title='pwned')",
    "[click](data:text/html,<script>document.title='pwned'</script>)",
    "<javascript:document.title='pwned'>",
    "![p](http://127.0.0.1:9/track.png)",
    "![p](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "[r]: http://127.0.0.1:9/x 'x'\n\n![r] [r]",
    "![a\" onerror=\"document.title='pwned'](x)",
    "# <img src=x onerror=document.title='pwned'>",
    "``` \"><script>document.title='pwned'</script>\nx\n```",
    "|a|\n|-|\n|<img src=x onerror=document.title='pwned'>|",
    "<http://127.0.0.1:9/auto>",
)


def hostile_work() -> bytes:
    """A notebook that tries everything wherever a learner's text stands."""
    cells = [text(one) for one in RAW + MARKDOWN]
    cells += [text(one, role="given") for one in ("# " + EVIL, "## " + RAW[1])]
    for one in RAW:
        outputs = [
            {"output_type": "stream", "name": "stdout", "text": one},
            {"output_type": "error", "ename": one, "evalue": one, "traceback": [one]},
            displayed(html=one, script="document.title = 'pwned'", svg=one, markdown=one),
            displayed(text=one, png=one),
            displayed(png=f'x" onerror="{one}', svg="<svg onload=document.title='pwned'/>"),
        ]
        cells.append(code(one, *outputs, role=one, id=one))
        cells.append({**text(one), "cell_type": "raw"})
        cells.append(code(one, **{one: one, "role": [one], "id": {"a": one}, "for": one * 9}))
    return notebook(*cells)
