"""`ModelGatewayEmbeddings`: texts as vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.utils import secret_from_env
from model_gateway_client import Decision
from model_gateway_client.wire import Embeddings as Answer
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr

from .clients import Clients, clients_of


class ModelGatewayEmbeddings(BaseModel, Embeddings):
    """`batch_size` texts are sent at once."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    #: The id of a deployment, an alias, or the name of a model.
    model: str
    api_key: SecretStr | None = Field(default_factory=secret_from_env("GATEWAY_API_KEY", default=None))
    base_url: str | None = None
    dimensions: int | None = None
    batch_size: int = Field(default=512, ge=1)
    timeout: float | None = None
    max_retries: int = 2
    headers: dict[str, str] | None = Field(default=None, exclude=True, repr=False)
    #: Called with the decision of every request.
    on_decision: Callable[[Decision], None] | None = Field(default=None, exclude=True, repr=False)

    _clients: Clients = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        self._clients = clients_of(
            api_key=self.api_key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.max_retries,
            headers=self.headers,
        )

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = []
        for batch in self._batches(texts):
            found += self._vectors(self._clients.sync.embeddings.create(**batch))
        return found

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = []
        for batch in self._batches(texts):
            found += self._vectors(await self._clients.asynchronous.embeddings.create(**batch))
        return found

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]

    def _batches(self, texts: list[str]) -> list[dict[str, Any]]:
        more = {} if self.dimensions is None else {"dimensions": self.dimensions}
        size = self.batch_size
        return [
            {"model": self.model, "input": texts[start : start + size], "encoding_format": "float", **more}
            for start in range(0, len(texts), size)
        ]

    def _vectors(self, answer: Answer) -> list[list[float]]:
        if answer.gateway is not None and self.on_decision is not None:
            self.on_decision(answer.gateway)
        return [one["embedding"] for one in sorted(answer["data"], key=lambda one: one["index"])]
