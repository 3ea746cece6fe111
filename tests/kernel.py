"""A real kernel as a notebook's front end sees it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

PATIENCE_S = 60
AGAIN_S = 10


@dataclass
class Reply:
    status: str
    number: int
    """The cell's execution count, as a front end shows it."""

    outputs: list[tuple[str, str]] = field(default_factory=list)
    """Type of message and its plain text, in order, as they stand in the end: what is updated is replaced, and what is cleared is gone."""

    displays: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """All messages of displays, as they came, with ``msg_type`` and ``content``."""


class Page:
    """What stands under a cell: what is updated is replaced, and what is cleared is gone."""

    def __init__(self) -> None:
        self.outputs: list[tuple[str, str]] = []
        self.displays: list[dict[str, Any]] = []
        self.places: dict[str, int] = {}

    def take(self, message: dict[str, Any]) -> None:
        """One message of the kernel."""
        kind, content = message["msg_type"], message["content"]
        if kind in ("display_data", "update_display_data", "execute_result"):
            self.show(message)
        elif kind == "clear_output":
            self.outputs.clear()
            self.places.clear()
        elif kind == "stream":
            self.write(content["name"], content["text"])
        elif kind == "error":
            self.outputs.append((kind, "\n".join(content["traceback"])))

    def write(self, name: str, text: str) -> None:
        """Text goes on where the last of its stream ended: one ``print`` may come in two messages, its line break in the second."""
        if self.outputs and self.outputs[-1][0] == name:
            text = self.outputs.pop()[1] + text
        self.outputs.append((name, text))

    def show(self, message: dict[str, Any]) -> None:
        """A bundle, in its place if it has one."""
        self.displays.append(message)
        kind, content = message["msg_type"], message["content"]
        place, text = content.get("transient", {}).get("display_id", ""), content["data"]["text/plain"]
        if kind != "update_display_data":
            self.places[place] = len(self.outputs)
            self.outputs.append((kind, text))
        elif place in self.places:
            self.outputs[self.places[place]] = ("display_data", text)


class Kernel:
    """Runs cells and collects what comes back."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client

    def run(self, code: str) -> Reply:
        sent = self.client.execute(code)
        page = Page()
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE_S)
            if message["parent_header"].get("msg_id") != sent:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
            page.take(message)
        reply = self.reply(sent)
        return Reply(reply["status"], reply["execution_count"], page.outputs, page.displays)

    def reply(self, sent: str) -> dict[str, Any]:
        """What the kernel answers to a request; on a busy machine there may be answers left to whoever asked whether it was ready."""
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE_S)
            if message["parent_header"].get("msg_id") == sent:
                return message["content"]

    def completed(self, code: str) -> list[str]:
        """What the kernel offers at the end of some code: the whole lines that would stand there."""
        content = self.reply(self.client.complete(code, len(code)))
        return [code[: content["cursor_start"]] + match for match in content["matches"]]


class Interruptible(Kernel):
    """Runs a cell, and presses the stop button when it has printed something."""

    def __init__(self, client: BlockingKernelClient, stop: Callable[[], None]) -> None:
        super().__init__(client)
        self.stop = stop

    def stopped(self, code: str) -> Reply:
        """Run a cell that says ``go``, and interrupt it then; again if nothing comes of it, since Python drops what falls into a callback of its collector."""
        pressed = threading.Event()
        get = self.client.get_iopub_msg

        def listen(timeout: float) -> Any:
            for _ in range(round(timeout / AGAIN_S)):
                with suppress(Empty):
                    message = get(timeout=AGAIN_S)
                    if message["msg_type"] == "stream" and "go" in message["content"]["text"] and not pressed.is_set():
                        pressed.set()
                        self.stop()
                    return message
                if pressed.is_set():
                    self.stop()
            return get(timeout=AGAIN_S)

        self.client.get_iopub_msg = listen
        try:
            return self.run(code)
        finally:
            self.client.get_iopub_msg = get

    def value(self, expression: str) -> str:
        """What an expression shows."""
        reply = self.run(f"print({expression})")
        assert reply.status == "ok", reply.outputs
        return reply.outputs[0][1].strip()


@contextmanager
def started() -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    """A kernel in a process of its own; gone after the block."""
    manager, client = start_new_kernel(extra_arguments=["--HistoryManager.enabled=False"])
    try:
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.context.destroy()
