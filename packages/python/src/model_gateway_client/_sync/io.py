"""What waiting is here."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

_LONGEST_REST = 1.0


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def read_rest(pieces: Iterator[bytes], response: httpx.Response) -> None:
    """What follows the end mark is nothing, and comes with it: then the connection can be used again.

    Somebody who never ends is left.
    """
    network = response.extensions.get("network_stream")
    raw = network.get_extra_info("socket") if network is not None else None
    if not isinstance(raw, socket.socket):
        return
    timer = threading.Timer(_LONGEST_REST, _shut, [raw])
    timer.daemon = True
    timer.start()
    try:
        with contextlib.suppress(Exception):
            for _ in pieces:
                pass
    finally:
        timer.cancel()


def _shut(raw: socket.socket) -> None:
    with contextlib.suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)
