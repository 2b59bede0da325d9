"""The clients behind a model: made when they are first needed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from langchain_core.exceptions import ContextOverflowError
from model_gateway_client import AsyncGateway, BadRequestError, Gateway, GatewayError

if TYPE_CHECKING:
    from pydantic import SecretStr


class GatewayContextOverflowError(BadRequestError, ContextOverflowError):
    """The prompt is longer than the model's context window."""


class Clients:
    """One for threads, and one for each event loop: connections belong to the loop that opened them."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._gateway: Gateway | None = None
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGateway] = WeakKeyDictionary()

    @property
    def sync(self) -> Gateway:
        if self._gateway is None:
            self._gateway = Gateway(**self._options)
        return self._gateway

    @property
    def asynchronous(self) -> AsyncGateway:
        loop = asyncio.get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = AsyncGateway(**self._options)
        return self._by_loop[loop]

    def __repr__(self) -> str:
        return "Clients()"


def clients_of(
    *,
    api_key: SecretStr | None,
    base_url: str | None,
    timeout: float | None,
    max_retries: int,
    headers: dict[str, str] | None,
) -> Clients:
    """Raises a `ConfigurationError` at once where no client can be made."""
    options = {
        "api_key": None if api_key is None else api_key.get_secret_value(),
        "base_url": base_url,
        "max_retries": max_retries,
        "headers": headers,
        **({} if timeout is None else {"timeout": timeout}),
    }
    return Clients(options)


def raised(error: GatewayError) -> GatewayError:
    """As LangChain knows it, where it has a name for it."""
    if error.code != "context_length_exceeded":
        return error
    told = ("status", "type", "code", "param", "request_id", "headers")
    return GatewayContextOverflowError(error.message, **{name: getattr(error, name) for name in told})
