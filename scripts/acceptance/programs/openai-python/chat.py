"""Chat completions, models and errors."""

import json
from typing import Any

import openai

from _client import MESSAGES, connect, counting
from checks import KEY, check, fails, new_key


def weather(asked: list[dict[str, str]], city: str, unit: str) -> str:
    asked.append({"city": city, "unit": unit})
    return "19 degrees and sunny"


TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
                "required": ["city", "unit"],
                "additionalProperties": False,
            },
            "strict": True,
        },
    }
]

VERDICT: Any = {
    "type": "json_schema",
    "json_schema": {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"mood": {"type": "string", "enum": ["good", "bad"]}, "marks": {"type": "integer"}},
            "required": ["mood", "marks"],
            "additionalProperties": False,
        },
    },
}


@check("chat")
def _() -> None:
    answer = connect().chat.completions.create(model="auto", messages=MESSAGES)
    assert "Say hello" in (answer.choices[0].message.content or "")
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None and answer.usage.completion_tokens > 0
    assert (answer._request_id or "").startswith("req_")


@check("the five headers and the cost in the body")
def _() -> None:
    raw = connect().chat.completions.with_raw_response.create(model="auto", messages=MESSAGES)
    assert raw.headers["X-Gateway-Decision"] == "demo/mini"
    assert raw.headers["X-Gateway-Route-Bucket"] == "simple"
    assert 0 <= float(raw.headers["X-Gateway-Route-Score"]) <= 1
    assert raw.headers["X-Gateway-Retries"] == "0"
    usage = raw.parse().usage
    assert usage is not None and usage.model_extra is not None
    assert float(raw.headers["X-Gateway-Cost-Usd"]) == usage.model_extra["cost"] > 0


@check("a failover is counted")
def _() -> None:
    raw = connect().chat.completions.with_raw_response.create(model="failover", messages=MESSAGES)
    assert raw.headers["X-Gateway-Retries"] == "1"
    assert raw.headers["X-Gateway-Decision"] == "demo/mini"


@check("stream")
def _() -> None:
    text = ""
    with connect().chat.completions.create(model="auto", messages=MESSAGES, stream=True) as stream:
        for chunk in stream:
            text += chunk.choices[0].delta.content or ""
    assert "Say hello" in text


@check("a stream's usage and exact cost, last")
def _() -> None:
    options: Any = {"include_usage": True}
    chunks = list(
        connect().chat.completions.create(model="auto", messages=MESSAGES, stream=True, stream_options=options)
    )
    assert chunks[-1].choices == []
    usage = chunks[-1].usage
    assert usage is not None and usage.model_extra is not None and usage.model_extra["cost"] > 0
    assert all(chunk.usage is None for chunk in chunks[:-1])


@check("the stream helper")
def _() -> None:
    with connect().chat.completions.stream(model="demo/standard", messages=MESSAGES) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    plain = connect().chat.completions.create(model="demo/standard", messages=MESSAGES)
    assert {"chunk", "content.delta", "content.done"} <= kinds
    assert final.choices[0].message.content == plain.choices[0].message.content


@check("a tool loop")
def _() -> None:
    client = connect()
    messages: Any = [{"role": "user", "content": "What is the weather in Paris?"}]
    asked: list[dict[str, str]] = []
    for _turn in range(3):
        message = client.chat.completions.create(model="demo/standard", messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            assert call.type == "function"
            result = weather(asked, **json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    assert len(asked) == 1 and asked[0]["unit"] in ("celsius", "fahrenheit")
    assert "19 degrees and sunny" in messages[-1].content


@check("streamed tool calls are put together")
def _() -> None:
    messages: Any = [{"role": "user", "content": "What is the weather in Paris?"}]
    with connect().chat.completions.stream(model="demo/standard", messages=messages, tools=TOOLS) as stream:
        final = stream.get_final_completion()
    calls = final.choices[0].message.tool_calls or []
    assert [call.function.name for call in calls] == ["get_weather"]
    assert set(json.loads(calls[0].function.arguments)) == {"city", "unit"}
    assert final.choices[0].finish_reason == "tool_calls"


@check("an answer in a JSON schema")
def _() -> None:
    answer = connect().chat.completions.create(model="demo/standard", messages=MESSAGES, response_format=VERDICT)
    verdict = json.loads(answer.choices[0].message.content or "")
    assert verdict["mood"] in ("good", "bad") and isinstance(verdict["marks"], int)


@check("an answer parsed into a class")
def _() -> None:
    from pydantic import BaseModel

    class Verdict(BaseModel):
        mood: str
        marks: int

    answer = connect().chat.completions.parse(model="demo/standard", messages=MESSAGES, response_format=Verdict)
    assert isinstance(answer.choices[0].message.parsed, Verdict)


@check("models, listed and retrieved")
def _() -> None:
    ids = [model.id for model in connect().models.list()]
    assert {"auto", "demo/mini", "failover"} <= set(ids)
    assert connect().models.retrieve("demo/mini").owned_by == "demo"


@check("401 is an AuthenticationError")
def _() -> None:
    error = fails(openai.AuthenticationError, lambda: connect("sk-not-ours").models.list())
    assert error.code == "invalid_api_key" and error.request_id.startswith("req_")


@check("403 is a PermissionDeniedError")
def _() -> None:
    client = connect(new_key(models=["demo/large"]))
    error = fails(
        openai.PermissionDeniedError, lambda: client.chat.completions.create(model="demo/mini", messages=MESSAGES)
    )
    assert error.code == "model_not_allowed" and error.param == "model"


@check("404 is a NotFoundError that names the nearest model")
def _() -> None:
    error = fails(
        openai.NotFoundError, lambda: connect().chat.completions.create(model="demo/minni", messages=MESSAGES)
    )
    assert error.code == "model_not_found" and "`demo/mini`" in error.message


@check("400 is a BadRequestError that names the field")
def _() -> None:
    error = fails(openai.BadRequestError, lambda: connect().chat.completions.create(model="auto", messages=[]))
    assert error.code == "invalid_field" and error.param == "messages"


@check("429 is a RateLimitError with a true wait")
def _() -> None:
    client = connect(new_key(limits={"rpm": 1}))
    client.chat.completions.create(model="auto", messages=MESSAGES)
    error = fails(openai.RateLimitError, lambda: client.chat.completions.create(model="auto", messages=MESSAGES))
    wait = int(error.response.headers["Retry-After"])
    assert 1 <= wait <= 60
    assert error.response.headers["X-Gateway-Limit-Kind"] == "rpm"
    assert error.body["kind"] == "rpm" and error.body["retry_after_seconds"] == wait


@check("a used-up budget is a RateLimitError, asked for once")
def _() -> None:
    client, count = counting(new_key(budgets=[{"usd": 0.000001, "window": "day"}]))
    error = fails(openai.RateLimitError, lambda: client.chat.completions.create(model="auto", messages=MESSAGES))
    assert error.code == "insufficient_quota"
    assert count() == 1, f"{count()} calls"


@check("an exhausted failover is an InternalServerError, asked for once")
def _() -> None:
    client, count = counting(KEY)
    error = fails(
        openai.InternalServerError,
        lambda: client.chat.completions.create(model="demo/status-500", messages=MESSAGES),
    )
    assert error.status_code == 502 and error.code == "upstream_unavailable"
    assert count() == 1, f"{count()} calls"
