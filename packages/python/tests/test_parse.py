from __future__ import annotations

from typing import Any

import pytest

from model_gateway_client import ConfigurationError, Gateway, InvalidAnswerError

QUESTION = [{"role": "user", "content": "Add 23 and 7"}]


class Sum:
    """What a Pydantic model is, as far as it counts."""

    def __init__(self, left: int) -> None:
        self.left = left

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return {"type": "object", "properties": {"left": {"type": "integer", "default": 3}}}

    @classmethod
    def model_validate(cls, obj: Any) -> Sum:
        return cls(obj["left"])


class Never(Sum):
    @classmethod
    def model_validate(cls, obj: Any) -> Never:
        raise ValueError("left: too small")


def test_a_schema_stands_for_the_format_and_reads_the_content(gateway: Gateway) -> None:
    answer = gateway.chat.parse(model="demo/standard", messages=QUESTION, schema=Sum)
    assert isinstance(answer.parsed, Sum)
    assert isinstance(answer.parsed.left, int)
    assert answer.gateway is not None


def test_what_does_not_fit_is_said(gateway: Gateway) -> None:
    with pytest.raises(InvalidAnswerError, match="too small") as raised:
        gateway.chat.parse(model="demo/standard", messages=QUESTION, schema=Never)
    assert raised.value.request_id


def test_nothing_to_read_by(gateway: Gateway) -> None:
    with pytest.raises(ConfigurationError, match="response_format"):
        gateway.chat.parse(model="demo/standard", messages=QUESTION)
