"""Open pictures of hostile trees in headless Chromium, where nothing may run.

Words and labels are scripts, event attributes and ends of whatever they could stand in.
Each kind of picture is opened as a file and inside a page of another author. A script
that ran would change the title of its page, and one page is made to do so, to see that
this is seen. Needs Debian's `chromium`.
"""

import argparse
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy

import spacy_gfl
from spacy_gfl.pictures.page import picture_file
from spacy_gfl.trees.tree import Constituent, Tree

RUN = "document.title='came in'"
HOSTILE = (
    f"<script>{RUN}</script>",
    f"</text></svg><script>{RUN}</script>",
    f"]]><script>{RUN}</script>",
    f"--><script>{RUN}</script>",
    f"</title></style><script>{RUN}</script>",
    f'"><img src=x onerror="{RUN}">',
    f"'><svg onload={RUN}>",
    f'" onload="{RUN}" onmouseover="{RUN}',
    f"' autofocus onfocus='{RUN}",
    f"javascript:{RUN}",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"<![CDATA[<script>{RUN}</script>]]>",
    f"<?xml-stylesheet href='data:text/css,x'?><script>{RUN}</script>",
    f'<foreignObject><iframe srcdoc="<script>parent.{RUN}</script>">',
    f"<a xlink:href='javascript:{RUN}'>x</a>",
    f"url(javascript:{RUN})",
    f"\x00<scr\x00ipt>{RUN}</script>",
    f"+ADw-script+AD4-{RUN}+ADw-/script+AD4-",
)
PAGE = "<!DOCTYPE html><html><head><title>quiet</title></head><body>{}</body></html>"


def pictures() -> dict[str, str]:
    """Files by their names, one of which does run a script."""
    n = len(HOSTILE)
    nodes = [Constituent(label, i, n) for i, label in enumerate(HOSTILE)]
    tree = Tree(HOSTILE, HOSTILE[::-1], tuple(nodes))
    attention = {"words": HOSTILE, "symbols": HOSTILE, "weights": numpy.eye(n)}
    kinds: dict[str, tuple[Any, str, dict[str, Any]]] = {
        "tree": (tree, "tree", {}),
        "folded": (tree, "tree", {"max_depth": 3, "colors": {HOSTILE[0]: "red"}}),
        "parts": (tree, "tree", {"max_width": 300, "compact": True}),
        "attention": (attention, "attention", {}),
    }
    script = f"<script>{RUN}</script>"
    files = {
        "runs.html": PAGE.format(f"<svg>{script}</svg>"),
        "runs.svg": f'<svg xmlns="http://www.w3.org/2000/svg">{script}</svg>',
    }
    for name, (drawn, style, options) in kinds.items():
        for suffix in (".svg", ".html"):
            data = picture_file(drawn, suffix, style, options)
            files[name + suffix] = data.decode()
        # As `render` returns it, for a page whose author allows scripts.
        svg = spacy_gfl.render(
            drawn, style=style, page=False, jupyter=False, options=options
        )
        files[f"{name}-inside.html"] = PAGE.format(svg)
    return files


class Active(HTMLParser):
    """Finds what could run, now or when somebody clicks."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.n_pictures = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.n_pictures += tag == "svg"
        if tag in ("script", "img", "iframe", "a", "foreignobject"):
            self.found.append(tag)
        self.found += [name for name, _ in attrs if name.startswith("on")]


def what_ran(browser: str, address: str) -> str:
    """What the browser found to run at an address."""
    with tempfile.TemporaryDirectory() as profile:
        options = "--headless --no-sandbox --disable-gpu --virtual-time-budget=2000"
        command = [browser, *options.split(), f"--user-data-dir={profile}"]
        command += ["--dump-dom", address]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    active = Active(result.stdout)
    if not active.n_pictures:
        raise RuntimeError(f"{address} was not opened: {result.stderr[-500:]}")
    # An SVG gets such an element too when its `document.title` is set.
    ran = ["a script ran"] if "<title>came in</title>" in result.stdout else []
    return ", ".join([*ran, *active.found])


def main() -> None:
    """Print what ran; the exit status is 1 if anything did but the page that should."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", default="chromium")
    arguments = parser.parse_args()
    if shutil.which(arguments.browser) is None:
        parser.error(f"there is no {arguments.browser}: apt-get install chromium")
    files = pictures()
    ran = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            ran[name] = what_ran(arguments.browser, path.as_uri())
    for name, what in ran.items():
        print(f"{name:24} {what or 'nothing to run'}")
    seen = [ran.pop(name) for name in ("runs.html", "runs.svg")]
    if seen != ["a script ran, script"] * 2:
        raise SystemExit("Scripts that were to run did not: nothing was tested.")
    raise SystemExit(1 if any(ran.values()) else 0)


if __name__ == "__main__":
    main()
