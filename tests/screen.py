"""What a kernel displays by, with what it was given to show."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Hook = Callable[[dict[str, Any]], dict[str, Any] | None]


@dataclass
class Shown:
    data: dict[str, Any]
    metadata: dict[str, Any]
    id: str
    update: bool

    @property
    def text(self) -> str:
        return self.data["text/plain"]


@dataclass
class Screen:
    """As ipykernel's publisher: messages pass its hooks."""

    shown: list[Shown] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    is_capturing: bool = False
    is_broken: bool = False
    """Whether nothing can be shown any more."""

    def publish(self, data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False, **_: Any) -> None:
        if self.is_broken:
            raise OSError("the front end is gone")
        self.pass_on("update_display_data" if update else "display_data")
        self.shown.append(Shown(data, metadata or {}, (transient or {}).get("display_id", ""), update))

    def clear_output(self, wait: bool = False) -> None:
        self.pass_on("clear_output")

    def pass_on(self, kind: str) -> None:
        for hook in self.hooks:
            hook({"header": {"msg_type": kind}, "content": {}})

    def register_hook(self, hook: Hook) -> None:
        self.hooks.append(hook)

    def unregister_hook(self, hook: Hook) -> bool:
        self.hooks.remove(hook)
        return True
