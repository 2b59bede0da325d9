"""The client: what the gateway's HTTP API has, with the decision and the cost on every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..outgoing import key_for
from ..settings import DEFAULT_RETRIES, DEFAULT_TIMEOUT, read_settings
from .admin import AsyncAdmin
from .chat import AsyncChat, AsyncCompletions, AsyncMessages, AsyncResponses
from .connection import AsyncConnection
from .media import AsyncAudio, AsyncImageMaker
from .own import AsyncCallingKey, AsyncEmbeddingMaker, AsyncModels, AsyncModerations, AsyncReceipts, AsyncRerank

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import httpx


class AsyncGateway:
    """A client of one gateway. `http_client` is the transport: a proxy, certificates, limits of your own go there."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        master_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Raises a `ConfigurationError` when the options and the environment don't make a working client."""
        settings = read_settings(
            base_url=base_url,
            api_key=api_key,
            master_key=master_key,
            timeout=timeout,
            max_retries=max_retries,
            headers=headers,
        )
        self._connection = AsyncConnection(settings, http_client)
        self.chat: AsyncChat = AsyncChat(self._connection)
        self.responses: AsyncResponses = AsyncResponses(self._connection)
        self.messages: AsyncMessages = AsyncMessages(self._connection)
        self.completions: AsyncCompletions = AsyncCompletions(self._connection)
        self.embeddings: AsyncEmbeddingMaker = AsyncEmbeddingMaker(self._connection)
        self.moderations: AsyncModerations = AsyncModerations(self._connection)
        self.rerank: AsyncRerank = AsyncRerank(self._connection)
        self.images: AsyncImageMaker = AsyncImageMaker(self._connection)
        self.audio: AsyncAudio = AsyncAudio(self._connection)
        self.models: AsyncModels = AsyncModels(self._connection)
        #: The key that calls.
        self.key: AsyncCallingKey = AsyncCallingKey(self._connection)
        self.receipts: AsyncReceipts = AsyncReceipts(self._connection)
        #: Needs the master key.
        self.admin: AsyncAdmin = AsyncAdmin(self._connection)

    @property
    def base_url(self) -> str:
        """Without `/v1`."""
        return self._connection.settings.origin

    def openai(self) -> dict[str, Any]:
        """Options for other clients of OpenAI's API: `OpenAI(**client.openai())`. They hold the key in plain words."""
        settings = self._connection.settings
        headers = {name: value for name, value in settings.headers.items() if name != "user-agent"}
        key = key_for(settings, "/v1/").reveal()
        return {"base_url": f"{settings.origin}/v1", "api_key": key, "default_headers": headers}

    async def close(self) -> None:
        """Closes idle connections; those of an `http_client` are its owner's."""
        await self._connection.close()

    async def __aenter__(self) -> AsyncGateway:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        # A trace shows a client that could not be made, too.
        return f"AsyncGateway({self.base_url!r})" if hasattr(self, "_connection") else "AsyncGateway()"
