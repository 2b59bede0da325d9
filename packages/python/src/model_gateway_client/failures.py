"""What the transport raised, as one of ours; and keys out of what others say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from .errors import ConfigurationError, GatewayConnectionError, GatewayError, GatewayTimeoutError

if TYPE_CHECKING:
    from .settings import Settings

#: A shorter key is none of the gateway's; it would be found in the middle of words.
_SHORTEST_SECRET = 8

#: What an error says stands at its beginning, however long it goes on.
MOST_OF_ERROR = 65_536

#: Bytes of an answer, whole or in pieces: four times what the gateway itself takes of a provider.
MOST_OF_ANSWER = 2**28


def clean(settings: Settings, text: str) -> str:
    """Whatever a server or a proxy put into its words."""
    for key in (settings.api_key, settings.master_key):
        if key is not None and len(key.reveal()) >= _SHORTEST_SECRET:
            text = text.replace(key.reveal(), "[key]")
    return text


def explain(
    settings: Settings, error: Exception, timeout: float | None, response: httpx.Response | None = None
) -> GatewayError:
    """`response`: a success had begun."""
    status = None if response is None else response.status_code
    headers = None if response is None else response.headers
    request_id = None if headers is None else headers.get("x-request-id")
    if isinstance(error, httpx.TimeoutException):
        waited = f"{(timeout or 0) * 1000:g}"
        return GatewayTimeoutError(
            f"The gateway sent nothing for {waited} ms (`timeout`).",
            status=status,
            request_id=request_id,
            headers=headers,
        )
    reason = clean(settings, str(error)) or type(error).__name__
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL)):
        return ConfigurationError(f"The request can't be sent: {reason}.")
    if response is not None:
        return GatewayConnectionError(
            f"The answer of {settings.origin} broke off: {reason}.",
            status=status,
            request_id=request_id,
            headers=headers,
        )
    failed = GatewayConnectionError(f"No answer from {settings.origin}: {reason}. Does the gateway run there?")
    failed.refused = isinstance(error, httpx.ConnectError)
    return failed
