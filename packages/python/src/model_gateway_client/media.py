"""Sound as bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .decision import Decision
    from .models import RawResponse


@dataclass(frozen=True)
class BytesAnswer:
    """An answer that is no JSON."""

    content: bytes = field(repr=False)
    content_type: str
    gateway: Decision | None
    raw: RawResponse = field(repr=False)

    def write_to(self, path: str | os.PathLike[str]) -> None:
        """Into a file."""
        with open(path, "wb") as file:
            file.write(self.content)
