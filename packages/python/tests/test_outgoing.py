"""What is sent, and what is not."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from model_gateway_client import ConfigurationError, Gateway
from model_gateway_client.wire import ResponseObject

HELLO = [{"role": "user", "content": "Hello"}]


def unsent(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"it was sent: {request.url}")


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("timeout", "timeout"),
        ("max_retries", "max_retries"),
        ("headers", "headers"),
        ("session", "session"),
        ("end_user", "end_user"),
        ("guardrails", "guardrails"),
        ("idempotency_key", "idempotency_key"),
        ("extra_body", "extra_body"),
        ("extra_headers", "headers"),
    ],
)
def test_an_option_of_the_call_among_the_fields_is_refused(option: str, given: str) -> None:
    client = Gateway(
        base_url="http://host", api_key="mgw_x", http_client=httpx.Client(transport=httpx.MockTransport(unsent))
    )
    more: Any = {option: 1}
    for call in (
        lambda: client.chat.create(model="m", messages=HELLO, **more),
        lambda: client.chat.stream(model="m", messages=HELLO, **more),
        lambda: client.responses.create(model="m", input="Hi", **more),
        lambda: client.audio.transcriptions.create(model="m", file=b"x", **more),
    ):
        with pytest.raises(ConfigurationError, match=rf"`{option}` is an option .*CallOptions\({given}=…\)"):
            call()


def test_output_text_is_the_text_of_all_messages() -> None:
    output = [
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "no"}]},
        {"type": "function_call", "arguments": "{}"},
        {"type": "message", "content": [{"type": "output_text", "text": "b"}]},
        {"type": "message"},
    ]
    assert ResponseObject({"output": output}).output_text == "ab"
    assert ResponseObject({"output": []}).output_text == ""
