"""Colours that show on white and on near-black alike: middling lightness, and text only ever in the page's own colour."""

from x10_jupyter.records.accounting import TimeName

COLOURS: dict[TimeName, str] = {
    "start": "#6f7fc0",
    "trace": "#4f86d9",
    "lower": "#e0a33c",
    "compile": "#e0703c",
    "cache_read": "#c9b04a",
    "execute": "#3fa66b",
    "read": "#a56cc9",
    "transfer": "#3aa7b0",
    "wait": "#d0527e",
    "gc": "#8d7a5f",
    "drain": "#7fbf6a",
    "python": "#7b8ba5",
    "contention": "#b3604f",
    "unexplained": "#9a9a9a",
}
"""One for each name of the time."""

LINE = "rgba(128,128,128,0.45)"
"""Rules and borders."""

QUIET = "0.7"
"""Opacity of what comes second."""

INK = "#808080"
"""Text and lines in pictures, which can't know the page's colours: it has as much contrast to white as to near-black, 4 to 1."""
