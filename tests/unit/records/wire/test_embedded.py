"""Captures in pages and notebooks."""

import json
from dataclasses import replace

import pytest

from captures import hostile, training
from standalone import StandAlone
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.wire import capture
from x10_jupyter.records.wire.document import MIME, document
from x10_jupyter.records.wire.embedded import chosen, documents, embedded, name_of

BAD = "</script><script>alert(1)</script><!--"


def page(*captures: Capture) -> bytes:
    return f"<!DOCTYPE html>\n<html><body>{''.join([embedded(document(one)) for one in captures])}</body></html>\n".encode()


def notebook(*captures: Capture, **more: object) -> bytes:
    outputs = [{"data": {MIME: document(one), "text/plain": "a"}} for one in captures] + [{"name": "stdout", "text": "b"}]
    return json.dumps({"cells": [{"cell_type": "markdown"}, {"outputs": outputs}], "nbformat": 4, "metadata": {"wide": 1.5}, **more}).encode()


@pytest.mark.parametrize("put", [page, notebook])
def test_they_come_back_as_they_were(put: object) -> None:
    captures = [training(), replace(hostile(), name=BAD, source=BAD)]
    assert [capture(found, Capture) for found in documents(put(*captures))] == captures  # pyright: ignore[reportCallIssue] # one of two functions


def test_nothing_in_it_ends_it() -> None:
    made = embedded(document(replace(training(), name=BAD, source=BAD)))
    assert made.count("<") == 2
    assert StandAlone(made).runs == []


def test_a_file_of_its_own_is_one() -> None:
    assert documents(json.dumps(document(training())).encode()) == [document(training())]
    named = replace(training(), source='a notebook has "nbformat"')
    assert documents(json.dumps(document(named)).encode()) == [document(named)]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<!DOCTYPE html>\n<html></html>", "A page must hold captures"),
        (page(training())[:-20], "A report must be whole"),
        (notebook(), "A notebook must hold captures"),
        (b'{"nbformat": 4, "cells": 3}', None),
        (b'{"nbformat": 4, "cells": [', "cut short, or is not JSON"),
        (page(training()).replace(b'{"type"', b'{"type'), "cut short, or is not JSON"),
    ],
)
def test_what_holds_none_is_refused(data: bytes, said: str | None) -> None:
    if said is None:  # of no notebook it is said that it is no capture
        with pytest.raises(UsageError, match="must be a capture"):
            capture(documents(data)[0], Capture)
        return
    with pytest.raises(UsageError, match=said):
        documents(data)


def test_a_newer_version_is_refused_and_not_overlooked() -> None:
    newer = page(training()).replace(b"capture.v1+json", b"capture.v2+json").replace(b'"version":1', b'"version":2')
    with pytest.raises(UsageError, match="This reads captures of version 1; got 2"):
        capture(documents(newer)[0], Capture)


def test_one_of_several() -> None:
    first, second, other = [document(replace(training(), name=name)) for name in ("warm", "", "warm")]
    found = [first, second, other]
    assert chosen([second], None) is second
    assert (chosen(found, 2), chosen(found, 3), chosen(found[:2], "warm")) == (second, other, first)
    for which, got in ((None, "3 captures"), ("cold", "'cold', which none is"), (4, "4, which none is"), ("warm", "'warm', which several are")):
        with pytest.raises(UsageError, match=rf"got {got}. Give `which=`, a name or a number: 1 `warm`, 2, 3 `warm`\."):
            chosen(found, which)
    with pytest.raises(UsageError, match="and 10 others"):
        chosen([first] * 30, None)


@pytest.mark.parametrize("damaged", [3, None, [], {}, {"capture": 4}, {"capture": {}}, {"capture": []}])
def test_what_does_not_say_its_name_has_none(damaged: object) -> None:
    assert name_of(damaged) == ""
