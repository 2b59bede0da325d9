"""What is written by hand is held against the API's description; what is made of it too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from calls import CALLS

import model_gateway_client.wire as wire
from model_gateway_client import CallOptions, Decision, Gateway, RateLimitError, Record
from model_gateway_client.settings import headers_of

LIST: dict[str, Any] = json.loads((Path(__file__).parents[2] / "conformance" / "wire.json").read_text(encoding="utf-8"))
RENAMED = {"Error": "ErrorBody", "Response": "ResponseObject"}


def class_of(schema: str) -> Any:
    name, *inner = schema.split(".")
    title = [re.sub(r"(^|_)(\w)", lambda match: match[2].upper(), part) for part in inner]
    # An item of `choices` is a `Choice`; one of `latency_ms` is no `LatencyM`.
    parts = [re.sub(r"((?<=[a-z])s)?\[\]$", "", part) for part in title]
    return getattr(wire, RENAMED.get(name, name) + "".join(parts))


@pytest.mark.parametrize("schema", LIST["schemas"])
def test_a_class_has_every_field(schema: str) -> None:
    if schema in ("TokensCount.gateway", "TokensCount.gateway.guardrail"):
        return
    kind = class_of(schema)
    own = kind._fields if issubclass(kind, Record) else kind.__annotations__
    fields = {name.rstrip("_") for name in own}
    expected = set(LIST["schemas"][schema]["fields"])
    # The decision stands in its place.
    assert expected - fields <= {"gateway"}
    assert fields <= expected


def test_there_is_a_call_for_every_operation(gateway: Gateway) -> None:
    assert set(CALLS) == set(LIST["operations"])


def test_a_decision_has_every_field_of_the_gateways() -> None:
    assert set(LIST["schemas"]["GatewayInfo"]["fields"]) <= set(Decision.__dataclass_fields__)


def test_an_error_has_every_field_of_the_bodys() -> None:
    assert set(LIST["schemas"]["Error.error"]["fields"]) <= set(vars(RateLimitError("slow down")))


def test_every_header_that_may_be_sent_has_its_option() -> None:
    sent = headers_of(
        CallOptions(
            session="s",
            end_user="u",
            guardrails=["g"],
            tags=["t"],
            prefer="cost",
            strict=True,
            no_fallback=True,
            recovery="cut",
            content="none",
            cache={"on": True, "max_age": 60},
            idempotency_key="k",
        )
    )
    named = {header for operation in LIST["operations"].values() for header in operation["headers"]}
    assert named == {*sent, "x-request-id"}


def test_query_parameters_are_all_there() -> None:
    for name, operation in LIST["operations"].items():
        if operation["query"]:
            kind = getattr(wire, f"{name[0].upper()}{name[1:]}Query")
            assert {field.rstrip("_") for field in kind.__annotations__} == set(operation["query"])
