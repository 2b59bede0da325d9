from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.caches import InMemoryCache
from langchain_core.load import dumps, loads
from langchain_core.messages import AIMessage, AIMessageChunk, FunctionMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from model_gateway_client import ConfigurationError, Decision, Gateway, NotFoundError, StreamInterruptedError
from pydantic import BaseModel, SecretStr

from langchain_model_gateway import (
    ChatModelGateway,
    GatewaySpendCallbackHandler,
    ModelGatewayEmbeddings,
    SpendLimitError,
)
from langchain_model_gateway.from_wire import message_of
from langchain_model_gateway.to_wire import to_wire


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"Sunny in {city}."


class Sum(BaseModel):
    """A sum."""

    left: int
    right: int


def test_the_decision_is_on_every_answer() -> None:
    decision = ChatModelGateway().invoke("Hi").response_metadata["gateway"]
    assert decision["deployment"] == "demo/mini"
    assert decision["bucket"] == "simple"
    assert decision["cost_usd"] > 0
    assert decision["cost_is_final"]


def test_a_stream_adds_up_to_the_answer_with_one_decision() -> None:
    model = ChatModelGateway(model="demo/mini")
    whole: Any = None
    for chunk in model.stream("Hello"):
        whole = chunk if whole is None else whole + chunk
    assert isinstance(whole, AIMessageChunk)
    answer = model.invoke("Hello")
    assert whole.content == answer.content
    assert whole.usage_metadata == answer.usage_metadata
    assert whole.response_metadata["gateway"]["cost_is_final"]
    assert whole.response_metadata["gateway"]["deployment"] == "demo/mini"
    assert whole.response_metadata["model_name"] == answer.response_metadata["model_name"]


def test_one_model_in_several_event_loops() -> None:
    model = ChatModelGateway(model="demo/mini")
    for _ in range(2):
        assert asyncio.run(model.ainvoke("Hello")).content


def test_the_reasoning_is_a_block() -> None:
    for answer in (
        ChatModelGateway(model="demo/reasoner").invoke("Hello"),
        ChatModelGateway(model="demo/reasoner", streaming=True).invoke("Hello"),
    ):
        assert "reasoning" in [block["type"] for block in answer.content_blocks]


def test_an_agent_works_and_its_spend_is_the_ledgers(servers: dict[str, Any]) -> None:
    spend = GatewaySpendCallbackHandler(budget_usd=1)
    agent: Any = create_agent(model=ChatModelGateway(model="demo/standard"), tools=[get_weather])
    done = agent.invoke(
        {"messages": [{"role": "user", "content": "What is the weather in Paris?"}]}, {"callbacks": [spend]}
    )
    assert any(isinstance(message, ToolMessage) for message in done["messages"])
    decisions = [m.response_metadata["gateway"] for m in done["messages"] if isinstance(m, AIMessage)]
    with Gateway() as gateway:
        receipts = [gateway.receipts.get(one["receipt_id"]).cost_usd for one in decisions]
    assert spend.calls == len(decisions) >= 2
    assert round(spend.total_usd * 1e9) == sum(round((cost or 0) * 1e9) for cost in receipts)
    assert spend.calls_by_deployment == {"demo/standard": spend.calls}


def test_structured_answers_of_an_agent() -> None:
    agent: Any = create_agent(model=ChatModelGateway(model="demo/standard"), tools=[], response_format=Sum)
    done = agent.invoke({"messages": [{"role": "user", "content": "Add 23 and 7"}]})
    assert isinstance(done["structured_response"], Sum)


@pytest.mark.parametrize("method", ["function_calling", "json_schema"])
def test_structured_output(method: Any) -> None:
    model = ChatModelGateway(model="demo/standard").with_structured_output(Sum, method=method, include_raw=True)
    answer: Any = model.invoke("Add 23 and 7")
    assert isinstance(answer["parsed"], Sum)
    assert answer["parsing_error"] is None
    assert answer["raw"].response_metadata["gateway"]["cost_usd"] > 0


def test_a_budget_that_is_used_up_sends_nothing_more() -> None:
    spend = GatewaySpendCallbackHandler(budget_usd=1e-9)
    model = ChatModelGateway(model="demo/mini")
    model.invoke("Hello", {"callbacks": [spend]})
    with pytest.raises(SpendLimitError, match="used up"):
        model.invoke("Hello", {"callbacks": [spend]})
    with pytest.raises(SpendLimitError):
        asyncio.run(model.ainvoke("Hello", {"callbacks": [spend]}))
    with pytest.raises(SpendLimitError):
        list(model.stream("Hello", {"callbacks": [spend]}))
    assert spend.calls == 1


def test_an_answer_from_the_cache_costs_nothing() -> None:
    spend = GatewaySpendCallbackHandler()
    model = ChatModelGateway(model="demo/mini", cache=InMemoryCache())
    for _ in range(2):
        model.invoke("Hello", {"callbacks": [spend]})
    assert (spend.calls, spend.cached_calls) == (1, 1)


def test_a_stream_that_was_left_counts_with_its_bound() -> None:
    spend = GatewaySpendCallbackHandler()
    stream: Any = ChatModelGateway(model="paced/standard").stream("Hello", {"callbacks": [spend]})
    for chunk in stream:
        if chunk.content:
            break
    stream.close()
    assert spend.total_usd == 0
    assert spend.unsettled_usd > 0


def test_a_stream_that_breaks_off_is_an_error() -> None:
    spend = GatewaySpendCallbackHandler()
    with pytest.raises(StreamInterruptedError) as raised:
        list(ChatModelGateway(model="demo/cut-6").stream("Hello", {"callbacks": [spend]}))
    assert raised.value.text.startswith("Hello!")
    assert spend.unsettled_usd > 0


def test_errors_say_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFoundError):
        ChatModelGateway(model="demo/nothing").invoke("Hello")
    monkeypatch.delenv("GATEWAY_API_KEY")
    with pytest.raises(ConfigurationError, match=r"api_key.*GATEWAY_API_KEY"):
        ChatModelGateway().invoke("Hello")
    with pytest.raises(ValueError, match="tool_choice 'other'"):
        ChatModelGateway().bind_tools([get_weather], tool_choice="other")
    with pytest.raises(ValueError, match="FunctionMessage can't be sent"):
        to_wire([FunctionMessage(content="x", name="f")])


def test_the_key_is_in_nothing_that_is_written_down() -> None:
    model = ChatModelGateway(api_key=SecretStr("mgw_hidden"), headers={"x-secret": "hidden"})
    written = dumps(model)
    assert "hidden" not in written + repr(model) + str(model) + json.dumps(model.dict(), default=str)
    again = loads(
        written,
        allowed_objects=[ChatModelGateway],
        valid_namespaces=["langchain_model_gateway"],
        secrets_map={"GATEWAY_API_KEY": "mgw_restored"},
    )
    assert again.api_key.get_secret_value() == "mgw_restored"


def test_messages_as_the_gateway_takes_them() -> None:
    call = {"name": "f", "args": {"a": "ö"}, "id": "c1", "type": "tool_call"}
    image = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}
    wire = to_wire(
        [
            SystemMessage("Be brief."),
            HumanMessage([{"type": "text", "text": "Look:"}, image], name="ada"),
            AIMessage([{"type": "reasoning", "reasoning": "hm"}], tool_calls=[call]),
            ToolMessage("done", tool_call_id="c1"),
        ]
    )
    assert wire == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
            "name": "ada",
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": "ö"}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]


def test_arguments_that_were_cut_off_are_an_invalid_call() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}
    message = message_of({"choices": [{"message": {"tool_calls": [call]}}]}, None)
    assert message.tool_calls == []
    assert message.invalid_tool_calls[0]["id"] == "c"


def test_options_of_the_gateway_and_decisions_by_hook(servers: dict[str, Any]) -> None:
    seen: list[Decision] = []
    model = ChatModelGateway(model="demo/mini", gateway_tags=["lc-tag"], session="s-1", on_decision=seen.append)
    model.invoke("Hello", prefer="cost")
    assert seen[0].receipt_id is not None
    with Gateway(master_key=servers["master_key"]) as gateway:
        assert gateway.receipts.get(seen[0].receipt_id)["tags"] == ["lc-tag"]


def test_a_profile_from_the_gateway() -> None:
    profile: Any = ChatModelGateway.from_gateway(model="demo/mini").profile
    assert profile["max_input_tokens"] > 0


def test_embeddings_in_batches() -> None:
    seen: list[Decision] = []
    model = ModelGatewayEmbeddings(model="demo/embed", batch_size=2, on_decision=seen.append)
    whole = ModelGatewayEmbeddings(model="demo/embed").embed_documents(["a", "b", "c"])
    assert model.embed_documents(["a", "b", "c"]) == whole
    assert len(seen) == 2
