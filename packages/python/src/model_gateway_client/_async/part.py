"""A part of the client: `client.models`, `client.admin.keys`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..outgoing import Outgoing
from ..settings import CallOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .connection import AsyncConnection


class AsyncPart:
    """Holds what all parts share."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def _asked(
        self,
        method: str,
        path: str,
        options: CallOptions | None,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
    ) -> Outgoing:
        return Outgoing(method, path, query=query, body=body, options=options or CallOptions())
