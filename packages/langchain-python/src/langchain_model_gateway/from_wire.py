"""The gateway's answers as LangChain's messages."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall, ToolCall
from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call

if TYPE_CHECKING:
    from collections.abc import Hashable

    from model_gateway_client import Decision

PROVIDER = "model-gateway"


class BlockIndexes:
    """Numbers the content blocks of a stream: the pieces of one block share an index, and no two blocks do."""

    def __init__(self) -> None:
        self._last = -1
        self._open: str | None = None
        self._calls: dict[Hashable, int] = {}

    def of_text(self, kind: str) -> int:
        """`kind`: `text` or `reasoning`. A block of another kind in between begins a new one."""
        if self._open != kind:
            self._open = kind
            self._last += 1
        return self._last

    def of_call(self, wire_index: Hashable) -> int:
        self._open = None
        if wire_index not in self._calls:
            self._last += 1
            self._calls[wire_index] = self._last
        return self._calls[wire_index]


def message_of(answer: dict[str, Any], decision: Decision | None) -> AIMessage:
    """A whole chat completion."""
    choices = answer.get("choices") or [{}]
    choice = choices[0] if isinstance(choices[0], dict) else {}
    message = choice.get("message") or {}
    valid, invalid = _tool_calls(message.get("tool_calls") or [])
    return AIMessage(
        content=message.get("content") or "",
        additional_kwargs=_beside(message),
        tool_calls=valid,
        invalid_tool_calls=invalid,
        usage_metadata=usage_of(answer.get("usage")),
        response_metadata=metadata_of(answer, choice.get("finish_reason"), decision),
        id=answer.get("id"),
    )


def chunk_of(event: dict[str, Any], indexes: BlockIndexes | None = None) -> AIMessageChunk | None:
    """A piece of one; `indexes`: its content is blocks, as `output_version="v1"` has them.

    What may come once only is in the last chunk: LangChain joins texts and adds numbers.
    """
    choice = next((one for one in event["choices"] if isinstance(one, dict) and one.get("index", 0) == 0), None)
    delta = (choice or {}).get("delta") or {}
    texts = [] if indexes is None else _text_blocks(delta, indexes)
    calls = [_call_chunk(call, indexes) for call in delta.get("tool_calls") or [] if isinstance(call, dict)]
    beside = _beside(delta)
    if not delta.get("content") and not calls and not beside:
        return None
    content: str | list[str | dict[Any, Any]] = delta.get("content") or ""
    if indexes is not None:
        content = [*texts, *({**call, "type": "tool_call_chunk"} for call in calls)]
    return AIMessageChunk(
        content=content,
        additional_kwargs=beside,
        tool_call_chunks=calls,
        id=event.get("id"),
        response_metadata=_provider(indexes is not None),
    )


def _text_blocks(delta: dict[str, Any], indexes: BlockIndexes) -> list[dict[str, Any]]:
    found = {"reasoning": delta.get("reasoning_content"), "text": delta.get("content")}
    return [{"type": kind, kind: text, "index": indexes.of_text(kind)} for kind, text in found.items() if text]


def last_chunk(answer: dict[str, Any], decision: Decision | None, *, as_blocks: bool = False) -> AIMessageChunk:
    choices = answer.get("choices") or [{}]
    return AIMessageChunk(
        content=[] if as_blocks else "",
        usage_metadata=usage_of(answer.get("usage")),
        response_metadata={
            **metadata_of(answer, choices[0].get("finish_reason"), decision),
            **_provider(as_blocks),
        },
        id=answer.get("id"),
        chunk_position="last",
    )


def _provider(as_blocks: bool) -> dict[str, Any]:
    return {"model_provider": PROVIDER, **({"output_version": "v1"} if as_blocks else {})}


def metadata_of(answer: dict[str, Any], finish_reason: object, decision: Decision | None) -> dict[str, Any]:
    told = {
        "id": answer.get("id"),
        "model_name": answer.get("model"),
        "finish_reason": finish_reason,
        "system_fingerprint": answer.get("system_fingerprint"),
        "gateway": None if decision is None else asdict(decision),
    }
    return {"model_provider": PROVIDER, **{name: value for name, value in told.items() if value is not None}}


def usage_of(usage: Any) -> UsageMetadata | None:
    if not isinstance(usage, dict):
        return None
    inputs, outputs = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    asked, said = usage.get("prompt_tokens_details") or {}, usage.get("completion_tokens_details") or {}
    written = asked.get("cache_creation_tokens", asked.get("cache_write_tokens"))
    read = {"cache_read": asked.get("cached_tokens"), "cache_creation": written, "audio": asked.get("audio_tokens")}
    thought = {"reasoning": said.get("reasoning_tokens"), "audio": said.get("audio_tokens")}
    return UsageMetadata(
        input_tokens=inputs,
        output_tokens=outputs,
        total_tokens=usage.get("total_tokens") or inputs + outputs,
        input_token_details=InputTokenDetails(**{name: count for name, count in read.items() if count is not None}),  # type: ignore[typeddict-item]
        output_token_details=OutputTokenDetails(**{name: n for name, n in thought.items() if n is not None}),  # type: ignore[typeddict-item]
    )


def _beside(message: dict[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("reasoning_content", "refusal") if message.get(name)}


def _tool_calls(raw: list[Any]) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    valid: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    for call in raw:
        try:
            parsed = parse_tool_call(call, return_id=True)
            if parsed is not None:
                valid.append(ToolCall(**parsed))  # type: ignore[typeddict-item]
        except Exception as error:
            invalid.append(make_invalid_tool_call(call, str(error)))
    return valid, invalid


def _call_chunk(call: dict[str, Any], indexes: BlockIndexes | None) -> ToolCallChunk:
    function = call.get("function") or {}
    index = call.get("index")
    return tool_call_chunk(
        name=function.get("name"),
        args=function.get("arguments"),
        id=call.get("id"),
        index=index if indexes is None else indexes.of_call(index),
    )
