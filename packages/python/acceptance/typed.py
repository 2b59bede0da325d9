"""What a program of a user's may count on, under the strictest rules of mypy and pyright; and what they must refuse."""

from __future__ import annotations

from model_gateway_client import AsyncGateway, Decision, Gateway, RateLimitError
from model_gateway_client.wire import Key, TrafficReport


def whole(gateway: Gateway) -> float | None:
    answer = gateway.chat.create(model="auto", messages=[{"role": "user", "content": "Hi"}])
    text: str | None = answer.choices[0].message.content
    print(text)
    decision: Decision | None = answer.gateway
    return None if decision is None else decision.cost_usd


def streamed(gateway: Gateway) -> int | None:
    with gateway.chat.stream(model="auto", messages=[{"role": "user", "content": "Hi"}]) as stream:
        for chunk in stream:
            print(chunk.choices[0].delta.content)
        usage = stream.final().usage
    return None if usage is None else usage.total_tokens


def administered(gateway: Gateway) -> list[str]:
    issued = gateway.admin.keys.create(name="ci", budget_usd=1, limits={"rpm": 60})
    print(issued.key)
    gateway.admin.keys.create(budgett_usd=1)  # type: ignore[call-arg]
    traffic: TrafficReport = gateway.admin.traffic(group_by="deployment", stream=True)
    print(traffic.total.latency_ms.p95)
    keys: list[Key] = list(gateway.admin.keys.list(team="research"))
    return [key.id for key in keys]


async def asynchronous(gateway: AsyncGateway) -> str | None:
    try:
        own = await gateway.key.get(tz="UTC")
        async for entry in gateway.admin.audit(action="keys.create"):
            print(entry.at, entry.actor.kind)
        ranked = await gateway.rerank.create(model="auto", query="?", documents=["one"])
        print(ranked.results[0].relevance_score)
    except RateLimitError as error:
        return error.kind
    return own.id
