"""Lets a shell complete what stands behind a magic."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

Complete = Callable[[str], list[str]]
"""From what stands behind a magic so far, to what may be typed for its last word."""

MAGIC = re.compile(r"(?:^|[=;])\s*(?P<command>%%?\w+) +(?P<line>.*)")
"""A magic alone on its line, behind an assignment or behind another statement."""


def matcher(completers: Mapping[str, Complete]) -> Callable[[CompletionContext], Any]:
    """What a shell asks while the user types: one of IPython's matchers, for its ``custom_matchers``.

    Args:
        completers: By magic, with its ``%``.
    """

    @context_matcher()
    def match(context: CompletionContext) -> SimpleMatcherResult:
        found = MAGIC.search(line_of(context))
        complete = completers.get(found["command"]) if found else None
        if found is None or complete is None:
            return SimpleMatcherResult(completions=[])
        word = found["line"].rpartition(" ")[2]
        texts = dict.fromkeys(each for each in complete(found["line"]) if each.startswith(word))
        # what Python's own names would add to options is noise
        return SimpleMatcherResult(completions=[SimpleCompletion(each, type="magic") for each in texts], matched_fragment=word, suppress=bool(texts))

    return match


def line_of(context: CompletionContext) -> str:
    """The line with the cursor, up to it."""
    lines = context.full_text.split("\n")
    return lines[context.cursor_line][: context.cursor_position] if context.cursor_line < len(lines) else ""
