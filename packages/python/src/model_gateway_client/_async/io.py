"""What waiting is here."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

_LONGEST_REST = 1.0


async def sleep(seconds: float) -> None:
    await anyio.sleep(seconds)


async def read_rest(pieces: AsyncIterator[bytes], _response: httpx.Response) -> None:
    """What follows the end mark is nothing, and comes with it: then the connection can be used again.

    Somebody who never ends is left.
    """
    with contextlib.suppress(Exception), anyio.move_on_after(_LONGEST_REST):
        async for _ in pieces:
            pass
