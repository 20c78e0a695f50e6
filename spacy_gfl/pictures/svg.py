"""SVG elements: stacked, framed and written out."""

from typing import Any, List, Sequence
from xml.etree import ElementTree

Element = Any  # xml.etree's; generic over nothing that matters here

NAMESPACE = "http://www.w3.org/2000/svg"


def size(picture: Element) -> List[float]:
    """Width and height in pixels."""
    return [float(picture.get(name).removesuffix("px")) for name in ("width", "height")]


def new_picture(width: float, height: float) -> Element:
    """An empty picture of this size in pixels."""
    return ElementTree.Element(
        "svg",
        {
            "xmlns": NAMESPACE,
            "width": f"{width:g}px",
            "height": f"{height:g}px",
            "viewBox": f"0 0 {width:g} {height:g}",
        },
    )


def stack_pictures(pictures: Sequence[Element], *, gap: float = 24) -> Element:
    """Pictures below each other, with a gap in pixels between two."""
    sizes = [size(picture) for picture in pictures]
    height = sum(h for _, h in sizes) + gap * (len(sizes) - 1)
    stacked = new_picture(max(w for w, _ in sizes), height)
    y = 0.0
    for picture, (_, h) in zip(pictures, sizes, strict=True):
        picture.set("x", "0")
        picture.set("y", f"{y:g}px")
        picture.set("overflow", "visible")
        stacked.append(picture)
        y += h + gap
    return stacked


def frame(
    picture: Element,
    *,
    text: str,
    color: str,
    bg: str,
    font: str,
    font_size: float,
    margin: float = 12,
) -> Element:
    """A picture with a margin, colours and what a screen reader says of it."""
    width, height = size(picture)
    framed = new_picture(width + 2 * margin, height + 2 * margin)
    framed.set("class", "spacy-gfl")
    framed.set("role", "img")
    framed.set("aria-label", text)
    framed.set(
        "style",
        f"max-width: none; color: {color}; font-family: {font}; "
        f"font-size: {font_size:g}px",
    )
    if bg != "transparent":
        framed.append(
            ElementTree.Element("rect", {"width": "100%", "height": "100%", "fill": bg})
        )
    picture.set("x", f"{margin:g}px")
    picture.set("y", f"{margin:g}px")
    framed.append(picture)
    return framed


def to_text(picture: Element) -> str:
    """The picture as SVG text, without an XML declaration."""
    return ElementTree.tostring(picture, encoding="unicode")
