"""LangChain's messages and tools as the gateway takes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_data_block,
    is_data_content_block,
)
from langchain_core.utils.function_calling import convert_to_openai_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Blocks of an answer that are sent as something else, or not at all.
_NOT_SENT = frozenset({"tool_call", "invalid_tool_call", "tool_call_chunk", "tool_use", "reasoning", "thinking"})


def to_wire(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    return [_message(message) for message in messages]


def _message(message: BaseMessage) -> dict[str, Any]:
    name = {"name": message.name} if message.name else {}
    content = _content(message.content)
    if isinstance(message, AIMessage):
        calls = _tool_calls(message)
        # An assistant that only calls tools says nothing.
        said = content if content or not calls else None
        return {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {}), **name}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if isinstance(message, HumanMessage):
        return {"role": "user", "content": content, **name}
    if isinstance(message, SystemMessage):
        role = message.additional_kwargs.get("__openai_role__", "system")
        return {"role": role, "content": content, **name}
    if isinstance(message, ChatMessage):
        return {"role": message.role, "content": content, **name}
    raise ValueError(f"A {type(message).__name__} can't be sent: human, system, AI, tool and chat messages can.")


def _content(content: str | list[Any]) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    blocks = [_block(block) for block in content]
    kept = [block for block in blocks if block is not None]
    if kept and all(block.get("type") == "text" for block in kept):
        return "\n".join(str(block["text"]) for block in kept) if len(kept) == 1 else kept
    return kept or ""


def _block(block: Any) -> dict[str, Any] | None:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    kind = block.get("type")
    if kind in _NOT_SENT:
        return None
    if kind == "text":
        return {"type": "text", "text": block.get("text", "")}
    if is_data_content_block(block):
        return convert_to_openai_data_block(block)
    source = block.get("source")
    if kind == "image" and isinstance(source, dict) and source.get("type") == "base64":
        return {"type": "image_url", "image_url": {"url": f"data:{source['media_type']};base64,{source['data']}"}}
    return dict(block)


def _tool_calls(message: AIMessage) -> list[dict[str, Any]]:
    valid = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": _json(call["args"])}}
        for call in message.tool_calls
    ]
    invalid = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["args"] or ""}}
        for call in message.invalid_tool_calls
    ]
    return valid + invalid


def _json(args: Any) -> str:
    return json.dumps(args, ensure_ascii=False)


def tool_to_wire(tool: Any, strict: bool | None) -> dict[str, Any]:
    """LangChain's tools, schemas and dicts; `strict` also of a tool that is in the wire's form already."""
    wire = convert_to_openai_tool(tool, strict=strict)
    function = wire.get("function")
    if strict is None or not isinstance(function, dict):
        return wire
    return {**wire, "function": {**function, "strict": strict}}


def tool_choice_to_wire(choice: str | bool | dict[str, Any] | None, names: Sequence[str]) -> Any:
    """`any` and True: one of the tools, whichever."""
    if choice in (None, False):
        return None
    if choice is True or choice == "any":
        return "required"
    if isinstance(choice, dict) or choice in ("auto", "none", "required"):
        return choice
    if choice in names:
        return {"type": "function", "function": {"name": choice}}
    raise ValueError(f"The tool_choice {choice!r} is none of the tools: {', '.join(names)}.")
