"""One page of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from .models import Record

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Page(Generic[R]):
    """Some items, and where the next begin."""

    data: list[R]
    has_more: bool
    #: What to give as `after` for the next page; None: this was the last.
    next: str | None
