"""`ModelGatewayRerank`: documents in the order of how well they match a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.utils import secret_from_env
from model_gateway_client import Decision, GatewayError
from model_gateway_client.wire import Ranking
from pydantic import Field, PrivateAttr, SecretStr

from .clients import Clients, clients_of, raised


class ModelGatewayRerank(BaseDocumentCompressor):
    """Returns copies of the documents, best first, with `metadata["relevance_score"]`."""

    #: The ID of a deployment that ranks, an alias, or the name of a model.
    model: str
    #: Documents to return at most. Default: all.
    top_n: int | None = Field(default=None, ge=1)
    api_key: SecretStr | None = Field(default_factory=secret_from_env("GATEWAY_API_KEY", default=None))
    base_url: str | None = None
    timeout: float | None = None
    max_retries: int = 2
    headers: dict[str, str] | None = Field(default=None, exclude=True, repr=False)
    #: Called with the decision of every request.
    on_decision: Callable[[Decision], None] | None = Field(default=None, exclude=True, repr=False)

    _clients: Clients = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._clients = clients_of(
            api_key=self.api_key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.max_retries,
            headers=self.headers,
        )

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        if not documents:
            return []
        try:
            answer = self._clients.sync.rerank.create(**self._request(documents, query))
        except GatewayError as error:
            raise raised(error) from error
        return self._ranked(documents, answer)

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        if not documents:
            return []
        try:
            answer = await self._clients.asynchronous.rerank.create(**self._request(documents, query))
        except GatewayError as error:
            raise raised(error) from error
        return self._ranked(documents, answer)

    def _request(self, documents: Sequence[Document], query: str) -> dict[str, Any]:
        texts = [document.page_content for document in documents]
        request = {"model": self.model, "query": query, "documents": texts}
        return request if self.top_n is None else {**request, "top_n": self.top_n}

    def _ranked(self, documents: Sequence[Document], answer: Ranking) -> list[Document]:
        if answer.gateway is not None and self.on_decision is not None:
            self.on_decision(answer.gateway)
        found = [(documents[one.index], one.relevance_score) for one in answer.results]
        return [
            document.model_copy(update={"metadata": {**document.metadata, "relevance_score": score}})
            for document, score in found
        ]
