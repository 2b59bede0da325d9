"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing_extensions import Required
    from .inference import ProviderChoice


class TokensCount(Answer):
    input_tokens: int


class CountTokensRequest(TypedDict, total=False):
    model: Required[str]
    """`auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model."""
    messages: Required[Sequence[InputMessage | Mapping[str, Any]]]
    system: str | Sequence[Mapping[str, Any]] | None
    """The system prompt."""
    tools: Sequence[Mapping[str, Any]] | None
    tool_choice: Mapping[str, Any] | None
    thinking: Mapping[str, Any] | None


class InputMessage(TypedDict, total=False):
    role: Required[str]
    """`user` or `assistant`."""
    content: Required[str | Sequence[Mapping[str, Any]]]
    """Text, or blocks: text, images, documents, tool calls and their results, thoughts."""


class Message(Answer):
    _models = {"usage": "MessageUsage"}
    id: str
    """Unique per answer."""
    type: Literal["message"]
    role: Literal["assistant"]
    model: str
    content: list[dict[str, Any]]
    stop_reason: str | None
    stop_sequence: str | None
    usage: MessageUsage


class MessageUsage(Record):
    input_tokens: int
    output_tokens: int
    cost: float | None
    """USD, exact; null: nobody knows the price."""


class MessagesRequest(TypedDict, total=False):
    """A request of Anthropic's Messages API. To deployments of that API it goes on untouched; for others it is translated."""
    model: Required[str]
    """`auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model."""
    messages: Required[Sequence[InputMessage | Mapping[str, Any]]]
    system: str | Sequence[Mapping[str, Any]] | None
    """The system prompt."""
    tools: Sequence[Mapping[str, Any]] | None
    tool_choice: Mapping[str, Any] | None
    thinking: Mapping[str, Any] | None
    max_tokens: Required[int]
    """Output tokens, at most."""
    stream: bool | None
    """Answer with server-sent events."""
    stop_sequences: Sequence[str] | None
    output_config: Mapping[str, Any] | None
    metadata: Mapping[str, Any] | None
    models: Sequence[str] | None
    """Further models, called in this order after those of `model`."""
    provider: ProviderChoice | Mapping[str, Any] | None
    """Narrows and orders the deployments that may serve."""
