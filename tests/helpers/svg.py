"""Reading pictures."""

from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    """What is written in a picture, in document order."""
    return [node.text for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def width(svg):
    return float(ElementTree.fromstring(svg).get("width").removesuffix("px"))


def x_positions(svg):
    """The centre of each text of a tree's picture in pixels."""

    def length(value, whole):
        share = value.endswith("%")
        number = float(value.removesuffix("%").removesuffix("px"))
        return number * whole / 100 if share else number

    found = {}
    pending = [(ElementTree.fromstring(svg), 0.0, width(svg))]
    while pending:
        node, left, whole = pending.pop()
        for child in node:
            if child.tag == f"{SVG}svg":
                x = left + length(child.get("x", "0"), whole)
                pending.append((child, x, length(child.get("width"), whole)))
            elif child.tag == f"{SVG}text":
                found[child.text] = left + whole / 2
    return found
