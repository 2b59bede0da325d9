"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Answer, Record, TextAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from .inference import ProviderChoice


class ResponseInputTokens(Answer):
    object: Literal["response.input_tokens"]
    input_tokens: int


class ResponseRequest(TypedDict, total=False):
    """The vendor-defined request. Fields not described here reach providers that have Responses untouched."""
    model: str | None
    """As for chat; `auto` where it is left out."""
    input: str | Sequence[Mapping[str, Any]] | None
    """A text, or items: messages, calls of tools and their results, thoughts of earlier answers."""
    models: Sequence[str] | None
    """Further models, called in this order after those of `model`."""
    provider: ProviderChoice | Mapping[str, Any] | None
    """Narrows and orders the deployments that may serve."""
    instructions: str | None
    previous_response_id: str | None
    """Goes on from a stored response of the same key; its `instructions` are not repeated."""
    store: bool | None
    """`false`: the gateway keeps nothing of it."""
    stream: bool | None
    """Answer with server-sent events."""
    background: bool | None
    """Answer with status `queued`, and go on without the caller: the response is read with its id."""
    max_output_tokens: int | None
    """Output tokens, at most, thoughts included."""
    temperature: float | None
    top_p: float | None
    tools: Sequence[Mapping[str, Any]] | None
    """Of type `function`, `custom` or `namespace` at every model; others where the provider runs them."""
    tool_choice: Any
    reasoning: Mapping[str, Any] | None
    text: Mapping[str, Any] | None
    """`format`: text, or a JSON schema."""
    include: Sequence[str] | None


class Compaction(Answer):
    id: str
    object: Literal["response.compaction"]
    created_at: int
    """Seconds since 1970."""
    output: list[dict[str, Any]]
    """The next `input` begins with these: the user's newest messages, and one `compaction` item."""
    usage: dict[str, Any]


class CompactionRequest(TypedDict, total=False):
    model: str | None
    """As for responses."""
    input: str | Sequence[Mapping[str, Any]] | None
    previous_response_id: str | None
    instructions: str | None


class ResponseItemList(Record):
    object: Literal["list"]
    data: list[dict[str, Any]]
    first_id: str
    last_id: str
    has_more: bool


class DeletedResponse(Record):
    id: str
    object: Literal["response"]
    deleted: Literal[True]


class ResponseObject(TextAnswer):
    _models = {"usage": "ResponseUsage"}
    id: str
    """The gateway's own, `resp_…`."""
    object: Literal["response"]
    created_at: int
    """Seconds since 1970."""
    status: str
    """`completed`, `incomplete`, `failed`, `cancelled`, `in_progress` or `queued`."""
    model: str
    output: list[dict[str, Any]]
    """Messages, thoughts, and calls of tools."""
    usage: ResponseUsage | None


class ResponseUsage(Record):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    cost: float | None
    """USD, exact; null: nobody knows the price."""
