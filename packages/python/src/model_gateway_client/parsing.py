"""Answers by a schema: asked for as one, read as one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .errors import ConfigurationError, InvalidAnswerError
from .wire import ChatCompletion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

T = TypeVar("T")


class Schema(Protocol):
    """A class that knows its JSON Schema, as Pydantic's models do."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]: ...

    @classmethod
    def model_validate(cls, obj: Any) -> Self: ...


S = TypeVar("S", bound=Schema)


class ParsedChatCompletion(ChatCompletion, Generic[T]):
    """A chat completion whose content was read."""

    __slots__ = ("_parsed",)
    _parsed: T | None

    @property
    def parsed(self) -> T | None:
        """None: the model refused, or called tools instead."""
        return self._parsed


def asked_for(body: Mapping[str, Any], schema: type[Schema] | None) -> Mapping[str, Any]:
    """The request, with `response_format` where a schema stands for it."""
    if body.get("response_format") is not None:
        return body
    if schema is None:
        raise ConfigurationError(
            "Say what the answer must look like: `response_format`, or a `schema`, such as a Pydantic model."
        )
    wanted = {"name": schema.__name__, "strict": True, "schema": _strict(schema.model_json_schema())}
    return {**body, "response_format": {"type": "json_schema", "json_schema": wanted}}


def _strict(schema: Any) -> Any:
    """In strict mode every field is required and no other is allowed."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: _strict(value) for name, value in schema.items() if name != "default"}
    if isinstance(schema.get("properties"), dict):
        fields = {name: _strict(value) for name, value in schema["properties"].items()}
        inner.update(properties=fields, required=list(fields), additionalProperties=False)
    return inner


def read(answer: ChatCompletion, schema: type[Schema] | None) -> ParsedChatCompletion[Any]:
    parsed = ParsedChatCompletion[Any](answer.to_dict(), answer.gateway, answer.raw)
    object.__setattr__(parsed, "_parsed", _content(answer, schema))
    return parsed


def _content(answer: ChatCompletion, schema: type[Schema] | None) -> Any:
    choice = answer.choices[0] if answer.choices else None
    content = choice.message.content if choice is not None else None
    if choice is None or not content:
        return None
    request_id = answer.gateway.request_id if answer.gateway is not None else None
    try:
        value = json.loads(content)
    except ValueError:
        why = " It was cut off at the output limit." if choice.finish_reason == "length" else ""
        raise InvalidAnswerError(f"The answer's content is no JSON.{why}", request_id=request_id) from None
    if schema is None:
        return value
    try:
        return schema.model_validate(value)
    except ValueError as error:
        raise InvalidAnswerError(f"The answer does not fit the schema: {error}", request_id=request_id) from error
