"""What a key may ask, what it may spend, and what became of its requests; and the small operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..outgoing import get, post, segment
from ..wire import Embeddings, Feedback, Model, ModelList, Moderation, OwnKey, Ranking, Receipt
from .part import AsyncPart

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import CallOptions
    from ..wire import EmbeddingsRequest, GetOwnKeyQuery, GiveFeedback, ModerationRequest, RerankRequest


class AsyncEmbeddingMaker(AsyncPart):
    async def create(self, *, options: CallOptions | None = None, **request: Unpack[EmbeddingsRequest]) -> Embeddings:
        return await self._connection.answer(Embeddings, post("/v1/embeddings", request, options), "data")


class AsyncModerations(AsyncPart):
    async def create(self, *, options: CallOptions | None = None, **request: Unpack[ModerationRequest]) -> Moderation:
        return await self._connection.answer(Moderation, post("/v1/moderations", request, options), "results")


class AsyncRerank(AsyncPart):
    async def create(self, *, options: CallOptions | None = None, **request: Unpack[RerankRequest]) -> Ranking:
        """The documents in the order of how well they answer the query."""
        return await self._connection.answer(Ranking, post("/v1/rerank", request, options), "results")


class AsyncModels(AsyncPart):
    async def list(self, *, options: CallOptions | None = None) -> ModelList:
        """Everything that the key may send as `model`."""
        return await self._connection.record(ModelList, get("/v1/models", options), "data")

    async def get(self, model_id: str, *, options: CallOptions | None = None) -> Model:
        return await self._connection.record(Model, get(f"/v1/models/{segment(model_id)}", options), "id")


class AsyncCallingKey(AsyncPart):
    async def get(self, *, options: CallOptions | None = None, **query: Unpack[GetOwnKeyQuery]) -> OwnKey:
        """The key's own limits and budgets, and what is left of them."""
        return await self._connection.record(OwnKey, get("/v1/key", options, query), "id")


class AsyncReceipts(AsyncPart):
    async def get(self, receipt_id: str, *, options: CallOptions | None = None) -> Receipt:
        """By the id of the receipt or of the request."""
        return await self._connection.record(Receipt, get(f"/v1/receipts/{segment(receipt_id)}", options), "id")

    async def feedback(
        self, receipt_id: str, *, options: CallOptions | None = None, **request: Unpack[GiveFeedback]
    ) -> Feedback:
        """How good the answer was, 0 to 1."""
        outgoing = post(f"/v1/receipts/{segment(receipt_id)}/feedback", request, options)
        return await self._connection.record(Feedback, outgoing, "score")
