# Made from _async by scripts/unasync.py: change it there.
"""Chat, completions, responses, messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from ..collectors import ChatCollector, CompletionCollector, MessageCollector, ResponseCollector
from ..models import Event
from ..outgoing import Outgoing, get, post, segment, streamed, whole
from ..parsing import ParsedChatCompletion, S, asked_for, read
from ..wire import (
    ChatCompletion,
    ChatCompletionChunk,
    Compaction,
    Completion,
    DeletedResponse,
    Message,
    ResponseInputTokens,
    ResponseItemList,
    ResponseObject,
    TokensCount,
)
from .part import Part
from .stream import Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import CallOptions
    from ..wire import (
        ChatRequest,
        CompactionRequest,
        CompletionRequest,
        CountTokensRequest,
        GetResponseQuery,
        ListInputItemsQuery,
        MessagesRequest,
        ResponseRequest,
    )


class Chat(Part):
    """`chat.completions` is the same, for those who come from other clients."""

    @property
    def completions(self) -> Chat:
        return self

    def create(self, *, options: CallOptions | None = None, **request: Unpack[ChatRequest]) -> ChatCompletion:
        outgoing = post("/v1/chat/completions", whole(request), options)
        return self._connection.answer(ChatCompletion, outgoing, "choices")

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[ChatRequest]
    ) -> Stream[ChatCompletionChunk, ChatCompletion]:
        outgoing = post("/v1/chat/completions", streamed(request), options)
        return Stream(self._connection, outgoing, ChatCollector())

    @overload
    def parse(
        self, *, schema: type[S], options: CallOptions | None = None, **request: Unpack[ChatRequest]
    ) -> ParsedChatCompletion[S]: ...

    @overload
    def parse(
        self, *, schema: None = None, options: CallOptions | None = None, **request: Unpack[ChatRequest]
    ) -> ParsedChatCompletion[Any]: ...

    def parse(
        self, *, schema: type[S] | None = None, options: CallOptions | None = None, **request: Unpack[ChatRequest]
    ) -> ParsedChatCompletion[Any]:
        """The content as JSON, by `response_format`, or by a `schema` that checks it: a Pydantic model."""
        outgoing = post("/v1/chat/completions", whole(asked_for(request, schema)), options)
        return read(self._connection.answer(ChatCompletion, outgoing, "choices"), schema)


class Completions(Part):
    """The older completions."""

    def create(self, *, options: CallOptions | None = None, **request: Unpack[CompletionRequest]) -> Completion:
        outgoing = post("/v1/completions", whole(request), options)
        return self._connection.answer(Completion, outgoing, "choices")

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[CompletionRequest]
    ) -> Stream[Completion, Completion]:
        outgoing = post("/v1/completions", streamed(request), options)
        return Stream(self._connection, outgoing, CompletionCollector())


class Responses(Part):
    """Responses, and those that the gateway keeps."""

    def create(self, *, options: CallOptions | None = None, **request: Unpack[ResponseRequest]) -> ResponseObject:
        outgoing = post("/v1/responses", whole(request), options)
        return self._connection.answer(ResponseObject, outgoing, "output")

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[ResponseRequest]
    ) -> Stream[Event, ResponseObject]:
        outgoing = post("/v1/responses", {**request, "stream": True}, options)
        return Stream(self._connection, outgoing, ResponseCollector())

    def get(
        self, response_id: str, *, options: CallOptions | None = None, **query: Unpack[GetResponseQuery]
    ) -> ResponseObject:
        return self._connection.answer(ResponseObject, get(_response(response_id), options, whole(query)), "id")

    def replay(
        self, response_id: str, *, options: CallOptions | None = None, **query: Unpack[GetResponseQuery]
    ) -> Stream[Event, ResponseObject]:
        """The events of one that is kept, from the one after `starting_after` on."""
        outgoing = get(_response(response_id), options, {**query, "stream": True})
        return Stream(self._connection, outgoing, ResponseCollector())

    def delete(self, response_id: str, *, options: CallOptions | None = None) -> DeletedResponse:
        outgoing = self._asked("DELETE", _response(response_id), options)
        return self._connection.record(DeletedResponse, outgoing, "id")

    def cancel(self, response_id: str, *, options: CallOptions | None = None) -> ResponseObject:
        outgoing = post(f"{_response(response_id)}/cancel", None, options)
        return self._connection.answer(ResponseObject, outgoing, "id")

    def input_items(
        self, response_id: str, *, options: CallOptions | None = None, **query: Unpack[ListInputItemsQuery]
    ) -> ResponseItemList:
        outgoing: Outgoing = get(f"{_response(response_id)}/input_items", options, query)
        return self._connection.record(ResponseItemList, outgoing, "data")

    def compact(self, *, options: CallOptions | None = None, **request: Unpack[CompactionRequest]) -> Compaction:
        return self._connection.answer(Compaction, post("/v1/responses/compact", request, options), "output")

    def count_input_tokens(
        self, *, options: CallOptions | None = None, **request: Unpack[ResponseRequest]
    ) -> ResponseInputTokens:
        asked = post("/v1/responses/input_tokens", request, options)
        return self._connection.answer(ResponseInputTokens, asked, "input_tokens")


def _response(response_id: str) -> str:
    return f"/v1/responses/{segment(response_id)}"


class Messages(Part):
    """Anthropic's Messages."""

    def create(self, *, options: CallOptions | None = None, **request: Unpack[MessagesRequest]) -> Message:
        return self._connection.answer(Message, post("/v1/messages", whole(request), options), "content")

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[MessagesRequest]
    ) -> Stream[Event, Message]:
        outgoing = post("/v1/messages", {**request, "stream": True}, options)
        return Stream(self._connection, outgoing, MessageCollector())

    def count_tokens(
        self, *, options: CallOptions | None = None, **request: Unpack[CountTokensRequest]
    ) -> TokensCount:
        outgoing = post("/v1/messages/count_tokens", request, options)
        return self._connection.answer(TokensCount, outgoing, "input_tokens")
