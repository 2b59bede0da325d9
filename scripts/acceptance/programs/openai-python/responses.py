"""Responses: whole, streamed, with tools, and kept for the next turn."""

import json
from typing import Any

import openai

from _client import connect
from checks import check, fails

MODEL = "demo/standard"
WEATHER: Any = {
    "type": "function",
    "name": "get_weather",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}


@check("a response, the five headers and the cost in the body")
def _() -> None:
    raw = connect().responses.with_raw_response.create(model="auto", input="Say hello")
    answer = raw.parse()
    assert "Say hello" in answer.output_text and answer.status == "completed"
    assert answer.usage is not None and answer.usage.model_extra is not None
    assert float(raw.headers["X-Gateway-Cost-Usd"]) == answer.usage.model_extra["cost"] > 0
    assert raw.headers["X-Gateway-Decision"] == "demo/mini"
    assert raw.headers["X-Gateway-Route-Bucket"] == "simple"
    assert 0 <= float(raw.headers["X-Gateway-Route-Score"]) <= 1
    assert raw.headers["X-Gateway-Retries"] == "0"


@check("a stream, event by event")
def _() -> None:
    events = list(connect().responses.create(model=MODEL, input="Say hello", stream=True))
    last = events[-1]
    assert events[0].type == "response.created" and last.type == "response.completed"
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == last.response.output_text != ""


@check("the stream helper")
def _() -> None:
    with connect().responses.stream(model=MODEL, input="Say hello") as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_response()
    assert "response.output_text.delta" in kinds
    assert "Say hello" in final.output_text


@check("a tool loop over previous_response_id")
def _() -> None:
    client = connect()
    first = client.responses.create(model=MODEL, input="What is the weather in Paris?", tools=[WEATHER])
    calls = [item for item in first.output if item.type == "function_call"]
    assert [call.name for call in calls] == ["get_weather"]
    assert set(json.loads(calls[0].arguments)) == {"city"}
    output: Any = {"type": "function_call_output", "call_id": calls[0].call_id, "output": "19 degrees and sunny"}
    second = client.responses.create(model=MODEL, previous_response_id=first.id, input=[output], tools=[WEATHER])
    assert "19 degrees and sunny" in second.output_text


@check("an answer parsed into a class")
def _() -> None:
    from pydantic import BaseModel

    class Verdict(BaseModel):
        mood: str
        marks: int

    answer = connect().responses.parse(model=MODEL, input="Say hello", text_format=Verdict)
    assert isinstance(answer.output_parsed, Verdict)


@check("kept: retrieved, its input listed, deleted, gone")
def _() -> None:
    client = connect()
    made = client.responses.create(model=MODEL, input="Say hello")
    assert client.responses.retrieve(made.id).output_text == made.output_text
    assert len(list(client.responses.input_items.list(made.id))) == 1
    client.responses.delete(made.id)
    fails(openai.NotFoundError, lambda: client.responses.retrieve(made.id))
