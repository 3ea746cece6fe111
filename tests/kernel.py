"""A real kernel as a notebook's front end sees it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

PATIENCE_S = 60


@dataclass
class Reply:
    status: str
    number: int
    """The cell's execution count, as a front end shows it."""

    outputs: list[tuple[str, str]] = field(default_factory=list)
    """Type of message and its plain text, in order."""


class Kernel:
    """Runs cells and collects what comes back."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client

    def run(self, code: str) -> Reply:
        sent = self.client.execute(code)
        outputs: list[tuple[str, str]] = []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE_S)
            if message["parent_header"].get("msg_id") != sent:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind in ("display_data", "execute_result"):
                outputs.append((kind, content["data"]["text/plain"]))
            elif kind == "stream":
                outputs.append((content["name"], content["text"]))
            elif kind == "error":
                outputs.append((kind, "\n".join(content["traceback"])))
        reply = self.reply_to(sent)
        return Reply(reply["status"], reply["execution_count"], outputs)

    def reply_to(self, sent: str) -> dict[str, Any]:
        """The content of the reply to a request; a slow kernel answers the client's first questions late."""
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE_S)
            if message["parent_header"].get("msg_id") == sent:
                return message["content"]


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
