"""`spacy_gfl.render`: the picture of a parse, modelled on `displacy.render`."""

from typing import Any, List, Mapping, NamedTuple, Optional

from spacy.util import is_in_jupyter

from spacy_gfl.pictures.inputs import as_list, attention_inputs, tree_inputs
from spacy_gfl.pictures.options import AttentionOptions, TreeOptions, read_options
from spacy_gfl.pictures.page import make_page, scrolling
from spacy_gfl.pictures.svg import Element, frame, to_text
from spacy_gfl.pictures.text import clean

STYLES = ("tree", "attention")


class Pictures(NamedTuple):
    """SVG pictures, and whether they are read from right to left."""

    elements: List[Element]
    rtl: bool = False


def render(
    docs: Any,
    style: str = "tree",
    page: bool = False,
    minify: bool = False,
    jupyter: Optional[bool] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Optional[str]:
    """Draw trees, or the attention from which they came.

    docs: A Doc (all its sentences), a Span (a sentence, or any constituent), a
        `spacy_gfl.Tree`, an `nltk.Tree`, or several of them. For attention a
        Doc, a sentence, or a dictionary of "words", "symbols" and "weights", an
        array `(symbols, words)`.
    style: "tree", or "attention" for a heat map: which words the parser looked
        at when it wrote each symbol of the tree. Needs options["parser"].
    page: Return a whole HTML page instead of SVG alone.
    minify: Put everything on one line.
    jupyter: Display the pictures in a notebook instead of returning them. None
        for where there is a notebook.
    options: Those of `TreeOptions` or `AttentionOptions`, by name.

    Returns one `<svg>` element a sentence, or the page; None where displayed.
    Raises ValueError for an unknown style or option, or where there is no tree
        or no attention; TypeError for what cannot be drawn; ImportError without
        the extra packages that drawing takes.
    """
    pictures = draw(docs, style, options)
    texts = [to_text(element) for element in pictures.elements]
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        display(HTML("\n".join(map(scrolling, texts))))
        return None
    if page:
        return make_page(texts, rtl=pictures.rtl, minify=minify)
    return ("" if minify else "\n\n").join(texts)


def draw(docs: Any, style: str, options: Optional[Mapping[str, Any]]) -> Pictures:
    """The pictures that `render` writes out; raises as it does."""
    if style == "tree":
        return _draw_trees(as_list(docs), read_options(TreeOptions, options))
    if style == "attention":
        return _draw_attention(as_list(docs), read_options(AttentionOptions, options))
    raise ValueError(f"There is no style {style!r}; there are {', '.join(STYLES)}.")


def _draw_trees(items: List[Any], options: TreeOptions) -> Pictures:
    try:
        from spacy_gfl.pictures.tree_svg import draw_tree
    except ImportError as error:
        raise missing_package(error) from error
    inputs = [found for item in items for found in tree_inputs(item)]
    elements, any_rtl = [], False
    for tree, of_rtl_language in inputs:
        rtl = options.direction == "rtl"
        if options.direction == "auto":
            rtl = of_rtl_language
        any_rtl = any_rtl or rtl
        picture = draw_tree(tree, options, rtl=rtl)
        elements.append(_frame(picture, " ".join(tree.words), options))
    return Pictures(elements, any_rtl)


def _draw_attention(items: List[Any], options: AttentionOptions) -> Pictures:
    try:
        from spacy_gfl.pictures.attention_svg import draw_attention
    except ImportError as error:
        raise missing_package(error) from error
    elements = []
    for words, symbols, weights in attention_inputs(items, options):
        picture = draw_attention(words, symbols, weights, options)
        elements.append(_frame(picture, " ".join(words), options))
    return Pictures(elements)


def _frame(picture: Element, text: str, options: Any) -> Element:
    return frame(
        picture,
        text=clean(text),
        color=options.color,
        bg=options.bg,
        font=options.font,
        font_size=options.font_size,
    )


def missing_package(error: ImportError) -> ImportError:
    """What to say where a package is missing that only pictures need."""
    return ImportError(
        f'Pictures need {error.name}, which `pip install "spacy-gfl[viz]"` installs.',
        name=error.name,
    )
