"""A page that stands alone: it asks for nothing, runs nothing, and follows the reader's choice of light or dark."""

from html import escape

from x10_jupyter.views.markup import Markup
from x10_jupyter.views.theme import LINE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing but what stands in it, and no script."""

STYLE = f"""\
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 0 auto; padding: 24px; background: Canvas; color: CanvasText; }}
h1 {{ font-size: 24px; line-height: 1.25; margin: 0 0 12px; }}
h2 {{ font-size: 18px; margin: 32px 0 8px; padding-top: 12px; border-top: 1px solid {LINE}; overflow-wrap: anywhere; }}
h3 {{ font-size: 15px; margin: 24px 0 4px; }}
pre {{ font: 13px/1.45 ui-monospace, monospace; margin: 6px 0; padding: 8px 12px; border-radius: 4px; background: rgba(128,128,128,0.12); overflow-x: auto; }}
summary {{ cursor: pointer; }}
a {{ color: LinkText; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: 2px 16px 2px 0; vertical-align: top; }}
td:first-child {{ white-space: nowrap; }}
th {{ font-weight: normal; opacity: 0.7; }}
img {{ max-width: 100%; }}
"""
"""`Canvas` and its like are the browser's own colours of each theme."""


def document(title: str, body: Markup, *, style: str = STYLE) -> str:
    """A whole page.

    Args:
        title: Of the browser's tab.
        body: What it shows.
        style: Its sheet.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
