# Made from _async by scripts/unasync.py: change it there.
"""The client: what the gateway's HTTP API has, with the decision and the cost on every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..outgoing import key_for
from ..settings import DEFAULT_RETRIES, DEFAULT_TIMEOUT, read_settings
from .admin import Admin
from .chat import Chat, Completions, Messages, Responses
from .connection import Connection
from .media import Audio, ImageMaker
from .own import CallingKey, EmbeddingMaker, Models, Moderations, Receipts, Rerank

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import httpx


class Gateway:
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
        http_client: httpx.Client | None = None,
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
        self._connection = Connection(settings, http_client)
        self.chat: Chat = Chat(self._connection)
        self.responses: Responses = Responses(self._connection)
        self.messages: Messages = Messages(self._connection)
        self.completions: Completions = Completions(self._connection)
        self.embeddings: EmbeddingMaker = EmbeddingMaker(self._connection)
        self.moderations: Moderations = Moderations(self._connection)
        self.rerank: Rerank = Rerank(self._connection)
        self.images: ImageMaker = ImageMaker(self._connection)
        self.audio: Audio = Audio(self._connection)
        self.models: Models = Models(self._connection)
        #: The key that calls.
        self.key: CallingKey = CallingKey(self._connection)
        self.receipts: Receipts = Receipts(self._connection)
        #: Needs the master key.
        self.admin: Admin = Admin(self._connection)

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

    def close(self) -> None:
        """Closes idle connections; those of an `http_client` are its owner's."""
        self._connection.close()

    def __enter__(self) -> Gateway:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        # A trace shows a client that could not be made, too.
        return f"Gateway({self.base_url!r})" if hasattr(self, "_connection") else "Gateway()"
