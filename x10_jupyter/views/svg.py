"""Pictures that survive a notebook's sanitizer: SVG inside an image, since it takes the element itself away."""

import re
from base64 import b64encode
from html import escape

from x10_jupyter.views.markup import Markup, element
from x10_jupyter.views.theme import INK

FONT = 11
"""Size of all text in pictures, in pixels."""

ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

LEAST = 560
"""Pixels to which a wide picture shrinks; its text is still legible."""

CHARACTER = 6.2
"""Pixels that a character takes in the middle; an image can't ask for the widths of its font."""


def shape(tag: str, *children: str, **attributes: object) -> Markup:
    """One element of SVG.

    Args:
        tag: Its name.
        children: What it holds; what is not `Markup` is escaped.
        attributes: By name, with ``_`` for ``-``; numbers are written with one decimal at most.
    """
    told = "".join([f' {name.replace("_", "-")}="{escape(number(value))}"' for name, value in attributes.items()])
    inside = "".join([child if isinstance(child, Markup) else escape(legal(child)) for child in children])
    return Markup(f"<{tag}{told}>{inside}</{tag}>" if inside else f"<{tag}{told}/>")


def number(value: object) -> str:
    """A number with one decimal at most, a tenth of a pixel; anything else as text."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else legal(str(value))


def legal(text: str) -> str:
    """Text without the characters that XML can't hold, for which a browser would refuse the whole picture."""
    return ILLEGAL.sub("\ufffd", text)


def label(x: float, y: float, *text: str, **attributes: object) -> Markup:
    """Text at a place, in a colour that shows on light and on dark; ``y`` is its base line."""
    return shape("text", *text, x=x, y=y, **{"fill": INK, **attributes})


def drawing(width: int, height: int, *shapes: str) -> str:
    """The source of a picture.

    Args:
        width: Pixels.
        height: Pixels.
        shapes: What `shape` made, the undermost first.
    """
    box = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}"}
    return shape("svg", *shapes, xmlns="http://www.w3.org/2000/svg", **box, font_family="sans-serif", font_size=FONT)


def picture(width: int, height: int, *shapes: str, alt: str) -> Markup:
    """An image of so many pixels, which becomes smaller where there is less room, as far as it can be read then; what has no room is scrolled to.

    Args:
        width: Pixels.
        height: Pixels.
        shapes: What `shape` made, the undermost first.
        alt: What it shows, in words.
    """
    data = b64encode(drawing(width, height, *shapes).encode()).decode()
    style = f"display:block;width:{width}px;max-width:100%;min-width:{min(width, LEAST)}px;height:auto"
    return element("div", Markup(f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}" style="{style}">'), overflow_x="auto")
