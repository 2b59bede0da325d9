"""Messages: whole, streamed, with tools, counted; and errors."""

from typing import Any

import anthropic
from anthropic import Anthropic, beta_tool

from checks import KEY, URL, check, fails, new_key

ASKED: Any = {"model": "demo/standard", "max_tokens": 500, "messages": [{"role": "user", "content": "Say hello"}]}
QUESTION: Any = {**ASKED, "messages": [{"role": "user", "content": "What is the weather in Paris?"}]}
WEATHER: Any = {
    "name": "get_weather",
    "description": "The weather in a city",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def connect(key: str = KEY, **options: Any) -> Anthropic:
    return Anthropic(base_url=URL, api_key=key, **{"max_retries": 0, **options})


def text_of(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


@check("a message, the five headers and the cost in the body")
def _() -> None:
    raw = connect().messages.with_raw_response.create(**{**ASKED, "model": "auto"})
    message = raw.parse()
    assert "Say hello" in text_of(message) and message.stop_reason == "end_turn"
    assert message.usage.model_extra is not None
    assert float(raw.headers["X-Gateway-Cost-Usd"]) == message.usage.model_extra["cost"] > 0
    assert raw.headers["X-Gateway-Decision"] == "demo/mini"
    assert raw.headers["X-Gateway-Route-Bucket"] == "simple"
    assert 0 <= float(raw.headers["X-Gateway-Route-Score"]) <= 1
    assert raw.headers["X-Gateway-Retries"] == "0"


@check("a stream, event by event")
def _() -> None:
    events = list(connect().messages.create(**ASKED, stream=True))
    assert events[0].type == "message_start" and events[-1].type == "message_stop"
    text = "".join(event.delta.text for event in events if event.type == "content_block_delta")
    assert "Say hello" in text


@check("the stream helper")
def _() -> None:
    with connect().messages.stream(**ASKED) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text == text_of(message) != "" and message.usage.output_tokens > 0


@check("a tool loop")
def _() -> None:
    client = connect()
    first = client.messages.create(**QUESTION, tools=[WEATHER])
    assert first.stop_reason == "tool_use"
    uses: Any = [block for block in first.content if block.type == "tool_use"]
    assert [use.name for use in uses] == ["get_weather"] and set(uses[0].input) == {"city"}
    result = {"type": "tool_result", "tool_use_id": uses[0].id, "content": "19 degrees and sunny"}
    turns = [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(**{**QUESTION, "messages": QUESTION["messages"] + turns}, tools=[WEATHER])
    assert "19 degrees and sunny" in text_of(second)


@check("the tool runner")
def _() -> None:
    cities: list[str] = []

    @beta_tool
    def get_weather(city: str) -> str:
        """The weather in a city"""
        cities.append(city)
        return "19 degrees and sunny"

    last = connect().beta.messages.tool_runner(**QUESTION, tools=[get_weather]).until_done()
    assert len(cities) == 1 and "19 degrees and sunny" in text_of(last)


@check("tokens, counted")
def _() -> None:
    counted = connect().messages.count_tokens(model=ASKED["model"], messages=ASKED["messages"])
    assert counted.input_tokens > 0


@check("models, listed")
def _() -> None:
    assert {"auto", "demo/mini"} <= {model.id for model in connect().models.list()}


@check("401, 404 and 400 are errors of their classes")
def _() -> None:
    fails(anthropic.AuthenticationError, lambda: connect("sk-not-ours").messages.create(**ASKED))
    fails(anthropic.NotFoundError, lambda: connect().messages.create(**{**ASKED, "model": "demo/minni"}))
    fails(anthropic.BadRequestError, lambda: connect().messages.create(**{**ASKED, "messages": []}))


@check("429 is a RateLimitError with a true wait")
def _() -> None:
    client = connect(new_key(limits={"rpm": 1}))
    client.messages.create(**ASKED)
    error = fails(anthropic.RateLimitError, lambda: client.messages.create(**ASKED))
    assert 1 <= int(error.response.headers["Retry-After"]) <= 60
    assert error.body["error"]["type"] == "rate_limit_error"
