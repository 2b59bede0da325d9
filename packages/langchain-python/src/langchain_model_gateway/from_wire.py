"""The gateway's answers as LangChain's messages."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall, ToolCall
from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call

if TYPE_CHECKING:
    from model_gateway_client import Decision

PROVIDER = "model-gateway"


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


def chunk_of(event: dict[str, Any]) -> AIMessageChunk | None:
    """A piece of one. What may come once only, is in the last chunk: LangChain joins texts and adds numbers."""
    choice = next((one for one in event["choices"] if isinstance(one, dict) and one.get("index", 0) == 0), None)
    delta = (choice or {}).get("delta") or {}
    calls = [_call_chunk(call) for call in delta.get("tool_calls") or [] if isinstance(call, dict)]
    beside = _beside(delta)
    if not delta.get("content") and not calls and not beside:
        return None
    return AIMessageChunk(
        content=delta.get("content") or "",
        additional_kwargs=beside,
        tool_call_chunks=calls,
        id=event.get("id"),
        response_metadata={"model_provider": PROVIDER},
    )


def last_chunk(answer: dict[str, Any], decision: Decision | None) -> AIMessageChunk:
    choices = answer.get("choices") or [{}]
    return AIMessageChunk(
        content="",
        usage_metadata=usage_of(answer.get("usage")),
        response_metadata=metadata_of(answer, choices[0].get("finish_reason"), decision),
        id=answer.get("id"),
        chunk_position="last",
    )


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
    read = {"cache_read": asked.get("cached_tokens"), "audio": asked.get("audio_tokens")}
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


def _call_chunk(call: dict[str, Any]) -> ToolCallChunk:
    function = call.get("function") or {}
    return tool_call_chunk(
        name=function.get("name"), args=function.get("arguments"), id=call.get("id"), index=call.get("index")
    )
