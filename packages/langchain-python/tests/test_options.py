"""What a call may be asked for, and what of it is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.load import dumps, loads
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, trim_messages
from langchain_core.tools import tool
from model_gateway_client import ConfigurationError, Decision
from pydantic import BaseModel

from langchain_model_gateway import ChatModelGateway, ModelGatewayRerank
from langchain_model_gateway.from_wire import BlockIndexes, chunk_of, usage_of


class Place(BaseModel):
    """A place."""

    city: str


@tool
def double(input: int) -> int:
    """Doubles a number."""
    return 2 * input


@tool
def treble(input: int) -> int:
    """Trebles a number."""
    return 3 * input


ANSWER = {
    "id": "c",
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
}


@pytest.fixture
def upstream() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that answers every call, and the bodies that it was sent."""
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            text = json.dumps(ANSWER).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", bodies
        server.shutdown()
        thread.join()


def test_options_of_a_call_are_not_sent_as_fields_of_the_request(upstream: tuple[str, list[dict[str, Any]]]) -> None:
    url, bodies = upstream
    model = ChatModelGateway(model="m", base_url=url, model_kwargs={"top_k": 3, "user": "u"})
    model.invoke("Hi", timeout=5, max_retries=0, session="s", headers={"x": "y"}, stream_usage=True, strict=True)
    model.invoke("Hi", temperature=0.5, model_kwargs={"user": "v"})
    sent = [{name: value for name, value in body.items() if name != "messages"} for body in bodies]
    assert sent == [
        {"model": "m", "top_k": 3, "user": "u"},
        {"model": "m", "top_k": 3, "user": "v", "temperature": 0.5},
    ]


def test_the_end_user_and_the_policies_of_a_call_come_before_those_of_the_model() -> None:
    model = ChatModelGateway(end_user="ann", guardrails=["strict"])
    for given, end_user, guardrails in (
        ({}, "ann", ["strict"]),
        ({"end_user": "bob", "guardrails": ["pii"]}, "bob", ["pii"]),
    ):
        request = model._request([HumanMessage("Hi")], None, dict(given))
        assert set(request) == {"model", "messages", "options"}
        assert (request["options"].end_user, request["options"].guardrails) == (end_user, guardrails)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("base_url", "'base_url' is an option of ChatModelGateway"),
        ("streaming", "'streaming' is an option of ChatModelGateway"),
        ("extra_body", "use 'model_kwargs'"),
        ("extra_headers", "use 'headers'"),
    ],
)
def test_an_option_that_a_call_does_not_have_is_refused(name: str, said: str) -> None:
    options: Any = {name: "x"}
    with pytest.raises(ValueError, match=said):
        ChatModelGateway().invoke("Hi", **options)


def test_strict_reaches_the_tool_that_the_schema_is_sent_as(upstream: tuple[str, list[dict[str, Any]]]) -> None:
    url, bodies = upstream
    model = ChatModelGateway(model="m", base_url=url)
    model.with_structured_output(Place, method="function_calling", strict=True).invoke("Hi")
    model.bind_tools([double], strict=True).invoke("Hi")
    model.bind_tools([double]).invoke("Hi", strict=True)
    assert [body["tools"][0]["function"]["strict"] for body in bodies] == [True, True, True]
    assert bodies[0]["tools"][0]["function"]["parameters"]["additionalProperties"] is False


@pytest.mark.parametrize("streaming", [False, True])
def test_the_blocks_of_v1_are_the_same_streamed_and_complete(streaming: bool) -> None:
    model = ChatModelGateway(model="demo/reasoner", output_version="v1", streaming=streaming)
    bound = model.bind_tools([double], tool_choice="any")
    whole: Any = None
    for chunk in bound.stream("double(3)? use the tool"):
        whole = chunk if whole is None else whole + chunk
    complete: Any = bound.invoke("double(3)? use the tool")
    for message in (whole, complete):
        assert [block["type"] for block in message.content] == ["reasoning", "tool_call"]
        assert message.content[1]["args"] == {"input": 3}
        assert [call["args"] for call in message.tool_calls] == [{"input": 3}]
        assert message.response_metadata["output_version"] == "v1"


def test_parallel_calls_of_v1_stay_apart_and_text_after_them_is_a_block_of_its_own() -> None:
    def piece(**delta: Any) -> dict[str, Any]:
        return {"id": "c", "choices": [{"index": 0, "delta": delta}]}

    def call(index: int, **function: str) -> dict[str, Any]:
        identified = {"id": f"c{index}"} if "name" in function else {}
        return {"index": index, **identified, "function": function}

    indexes = BlockIndexes()
    events = [
        piece(reasoning_content="Hm"),
        piece(reasoning_content="m."),
        piece(content="I will."),
        piece(tool_calls=[call(0, name="double", arguments=""), call(1, name="treble", arguments="")]),
        piece(tool_calls=[call(1, arguments='{"input":')]),
        piece(tool_calls=[call(0, arguments='{"input":2}'), call(1, arguments="1}")]),
        piece(content="Done."),
    ]
    chunks: list[Any] = [chunk_of(event, indexes) for event in events]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    whole += AIMessageChunk(content=[], chunk_position="last", response_metadata={"output_version": "v1"})
    assert [
        (block["type"], block.get("text") or block.get("reasoning") or block["args"]) for block in whole.content
    ] == [
        ("reasoning", "Hmm."),
        ("text", "I will."),
        ("tool_call", {"input": 2}),
        ("tool_call", {"input": 1}),
        ("text", "Done."),
    ]


def test_tokens_are_estimated_without_a_tokenizer() -> None:
    model = ChatModelGateway()
    messages: list[BaseMessage] = [HumanMessage("a " * 50), HumanMessage("b")]
    assert trim_messages(messages, max_tokens=20, token_counter=model) == messages[1:]
    assert model.get_num_tokens("a" * 9) == 3
    assert model.get_num_tokens_from_messages(messages, tools=[double]) > model.get_num_tokens_from_messages(messages)
    assert ChatModelGateway(custom_get_token_ids=lambda text: list(text.encode())).get_num_tokens("ab") == 2
    with pytest.raises(NotImplementedError, match="custom_get_token_ids"):
        model.get_token_ids("a")


def test_token_counts_have_what_the_prompt_cache_read_and_wrote() -> None:
    details = {"cached_tokens": 3, "cache_write_tokens": 4}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11, "prompt_tokens_details": details}
    assert usage_of(usage) == {
        "input_tokens": 9,
        "output_tokens": 2,
        "total_tokens": 11,
        "input_token_details": {"cache_read": 3, "cache_creation": 4},
        "output_token_details": {},
    }


def test_a_model_that_was_written_down_is_loaded_again() -> None:
    model = ChatModelGateway(model="demo/mini", temperature=0.5, session="s")
    again = loads(dumps(model), allowed_objects=[ChatModelGateway])
    assert again.dict() == model.dict()


def test_the_profile_is_what_the_gateway_lists() -> None:
    profile: Any = ChatModelGateway.from_gateway(model="demo/standard", profile={"max_output_tokens": 5}).profile
    assert profile["structured_output"] is True
    assert profile["tool_calling"] is True
    assert profile["image_inputs"] is True
    assert profile["max_output_tokens"] == 5
    assert ChatModelGateway.from_gateway(model="standard").profile["tool_choice"] is True  # type: ignore[index]
    with pytest.raises(ConfigurationError, match=r"no model 'nothing' for this key\. It has: .*demo/mini"):
        ChatModelGateway.from_gateway(model="nothing")


DOCUMENTS = [
    Document("Rome is the capital of Italy.", metadata={"n": 0}),
    Document("Paris is the capital of France.", metadata={"n": 1}, id="p"),
    Document("Bananas are yellow.", metadata={"n": 2}),
]
QUERY = "What is the capital of France?"


def test_documents_are_ranked_best_first() -> None:
    seen: list[Decision] = []
    ranked = ModelGatewayRerank(model="demo/rerank", top_n=2, on_decision=seen.append).compress_documents(
        DOCUMENTS, QUERY
    )
    assert [(one.metadata["n"], one.id) for one in ranked] == [(1, "p"), (0, None)]
    assert ranked[0].metadata["relevance_score"] > ranked[1].metadata["relevance_score"]
    assert "relevance_score" not in DOCUMENTS[1].metadata
    assert [one.deployment for one in seen] == ["demo/rerank"]


async def test_documents_are_ranked_in_an_event_loop() -> None:
    rerank = ModelGatewayRerank(model="demo/rerank")
    ranked = await rerank.acompress_documents(DOCUMENTS, QUERY)
    assert ranked[0].metadata["n"] == 1
    assert len(ranked) == 3
    assert await rerank.acompress_documents([], QUERY) == []
