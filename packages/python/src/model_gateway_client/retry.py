"""Whether a failed call is made again, and when."""

from __future__ import annotations

import random
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from .error_answer import seconds_of
from .errors import BudgetExceededError, GatewayConnectionError, GatewayError, GatewayTimeoutError, RateLimitError

if TYPE_CHECKING:
    import httpx

#: Whoever is told to wait longer is told so at once, and nobody waits longer by themselves.
_LONGEST_WAIT = 60.0
_FIRST_PAUSE = 0.5
_MOST_PAUSE = 8.0


def pause_before(error: GatewayError, failures: int, reads_only: bool) -> float | None:
    """Seconds to wait before the next attempt; None: there is none. `reads_only`: asking twice changes nothing."""
    if not _is_worth_it(error, reads_only):
        return None
    told = _told_pause(error.headers)
    pause = told if told is not None else min(_FIRST_PAUSE * 2**failures, _MOST_PAUSE) * random.uniform(0.75, 1.25)
    return None if pause > _LONGEST_WAIT else pause


def _is_worth_it(error: GatewayError, reads_only: bool) -> bool:
    # The opposite is not believed: a generation that failed may have been billed, whatever a server says.
    if error.headers is not None and error.headers.get("x-should-retry") == "false":
        return False
    if isinstance(error, (BudgetExceededError, GatewayTimeoutError)):
        return False
    if isinstance(error, GatewayConnectionError):
        return error.status is None and (reads_only or error.refused)
    if isinstance(error, RateLimitError):
        return True
    # What the gateway says of itself was refused before any provider was asked.
    if error.status == 503 and error.type == "server_error":
        return True
    return reads_only and error.status is not None and (error.status == 408 or error.status >= 500)


def _told_pause(headers: httpx.Headers | None) -> float | None:
    if headers is None:
        return None
    exact = seconds_of(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    after = headers.get("retry-after")
    seconds = seconds_of(after)
    if seconds is not None or after is None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
