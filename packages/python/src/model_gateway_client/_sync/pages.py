# Made from _async by scripts/unasync.py: change it there.
"""A list in pages, gone through item by item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Generic

from ..errors import InvalidAnswerError
from ..paging import Page, R

if TYPE_CHECKING:
    from ..outgoing import Outgoing
    from .connection import Connection


class Pages(Generic[R]):
    """Nothing is asked before it is iterated."""

    def __init__(self, connection: Connection, kind: type[R], outgoing: Outgoing) -> None:
        self._connection = connection
        self._kind = kind
        self._outgoing = outgoing

    def __iter__(self) -> Iterator[R]:
        for page in self.pages():
            for item in page.data:
                yield item

    def pages(self) -> Iterator[Page[R]]:
        """Page by page."""
        after: str | None = None
        while True:
            page = self._page(after)
            yield page
            if not page.has_more or page.next is None:
                return
            if page.next == after:
                raise InvalidAnswerError(f"The page after {after!r} leads to itself.")
            after = page.next

    def first(self) -> Page[R]:
        """The first page alone."""
        return self._page(None)

    def _page(self, after: str | None) -> Page[R]:
        query = dict(self._outgoing.query or {})
        outgoing = self._outgoing if after is None else replace(self._outgoing, query={**query, "after": after})
        body = self._connection.json(self._connection.open(outgoing), outgoing, "data")
        if not isinstance(body["data"], list):
            raise InvalidAnswerError("The page has no list of items.")
        following = body.get("next")
        items = [self._kind(item) for item in body["data"] if isinstance(item, dict)]
        return Page(items, body.get("has_more") is True, str(following) if isinstance(following, (str, int)) else None)
