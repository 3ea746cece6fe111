"""A place under a cell whose content can be replaced while the cell runs."""

from collections.abc import Mapping
from typing import Any, Protocol
from uuid import uuid4

from IPython.core.interactiveshell import InteractiveShell


class Publisher(Protocol):
    """What a kernel displays by, as far as it is used here; a terminal's, or that of ``%%capture``, has no hooks."""

    def publish(self, data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False) -> None:  # noqa: ANN401 - a bundle
        """Send a bundle to the front end."""
        ...

    def register_hook(self, hook: Any) -> None:  # noqa: ANN401 - a function of messages
        """Let a function see what the calling thread sends."""
        ...

    def unregister_hook(self, hook: Any) -> object:  # noqa: ANN401
        """Let it see no more."""
        ...


class Place:
    """Empty until something is shown in it. It knows whether the cell has cleared its output, and the place with it."""

    def __init__(self, publisher: Publisher) -> None:
        """Prepare.

        Args:
            publisher: The kernel's.
        """
        self.publisher = publisher
        self.id = f"x10-{uuid4().hex}"
        """By which the front end finds it again."""
        self.is_shown = False
        self.is_cleared = False

    def __enter__(self) -> "Place":
        self.publisher.register_hook(self.hear)
        return self

    def __exit__(self, *_: object) -> None:
        self.publisher.unregister_hook(self.hear)

    def hear(self, message: dict[str, Any]) -> dict[str, Any]:
        """Called by the publisher with each message; says whether the output was cleared that holds the place."""
        if self.is_shown and message["header"]["msg_type"] == "clear_output":
            self.is_cleared = True
        return message

    def show(self, bundle: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> bool:
        """Show a bundle here, unless the place is gone.

        Args:
            bundle: Data by MIME type.
            metadata: What is told of them.

        Returns:
            Whether it was shown.
        """
        if self.is_cleared:
            return False
        self.publisher.publish(dict(bundle), dict(metadata or {}), transient={"display_id": self.id}, update=self.is_shown)
        self.is_shown = True
        return True


def place_in(shell: InteractiveShell) -> Place | None:
    """A place under the running cell; None where there is no front end that could replace anything."""
    publisher: Any = shell.display_pub
    return Place(publisher) if hasattr(publisher, "register_hook") and hasattr(publisher, "unregister_hook") else None
