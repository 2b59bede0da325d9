from __future__ import annotations

import pickle
from typing import Any

import httpx
import pytest

from model_gateway_client import CallOptions, ConfigurationError, Gateway, GatewayConnectionError
from model_gateway_client.settings import headers_of

KEY = "mgw_a-secret-that-is-never-shown"


@pytest.mark.parametrize(
    "given",
    ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/", " http://h:1// "],
)
def test_an_address_with_or_without_v1(given: str) -> None:
    assert Gateway(base_url=given, api_key=KEY).base_url == "http://h:1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_url": ""}, "base_url.*GATEWAY_BASE_URL"),
        ({"base_url": "h:1"}, "begin with http"),
        ({"base_url": "http://[::1"}, "be a URL"),
        ({"base_url": "http://h:port"}, "be a URL"),
        ({"base_url": "http://user:hunter2@h"}, "no user name and no password"),
        ({"base_url": "http://h?a=b"}, "no query"),
        ({"api_key": ""}, "api_key.*GATEWAY_API_KEY"),
        ({"api_key": "mgw_a b"}, "api_key.*characters"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"max_retries": "2"}, "max_retries"),
    ],
)
def test_what_cant_work_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as raised:
        Gateway(**{"base_url": "http://h", "api_key": KEY, **options})
    assert "hunter2" not in str(raised.value)
    assert "mgw_a" not in str(raised.value)


@pytest.mark.parametrize("headers", [{"a b": "c"}, {"a": "b\nc"}, {"a": "ö"}])
def test_a_header_that_no_header_can_be(headers: dict[str, str]) -> None:
    client = Gateway(base_url="http://127.0.0.1:9", api_key=KEY)
    with pytest.raises(ConfigurationError, match="header"):
        client.models.list(options=CallOptions(headers=headers))


def test_a_request_that_is_no_json() -> None:
    client = Gateway(base_url="http://127.0.0.1:9", api_key=KEY)
    with pytest.raises(ConfigurationError, match="JSON"):
        client.chat.create(model="m", messages=[{"role": "user", "content": object()}])
    with pytest.raises(ConfigurationError, match="JSON"):
        client.chat.create(model="m", messages=[], temperature=float("nan"))
    with pytest.raises(ConfigurationError, match="stream"):
        client.chat.create(model="m", messages=[], stream=True)
    with pytest.raises(ConfigurationError, match="empty"):
        client.models.get("")


def test_no_key_is_shown_or_pickled() -> None:
    client = Gateway(base_url="http://h", api_key=KEY, master_key=f"{KEY}-master")
    shown = "".join(map(repr, [client, vars(client), vars(client.chat), vars(client._connection), client.admin.keys]))
    assert KEY not in shown
    with pytest.raises(TypeError):
        pickle.dumps(client)


def test_options_for_other_clients() -> None:
    client = Gateway(base_url="http://h/v1", api_key=KEY, headers={"X-Team": "red"})
    assert client.openai() == {"base_url": "http://h/v1", "api_key": KEY, "default_headers": {"x-team": "red"}}


def test_a_transport_of_ones_own_is_used_and_its_redirects_are_refused() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": "http://elsewhere/"})

    own = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True)
    refused = pytest.raises(GatewayConnectionError, match=r"redirects are not followed.*elsewhere")
    with Gateway(base_url="http://h", api_key=KEY, http_client=own) as client, refused:
        client.models.list()
    assert not own.is_closed


def test_the_end_user_is_percent_encoded_and_policies_are_joined_by_commas() -> None:
    assert headers_of(CallOptions(end_user="Zoë, a/b+c", guardrails=["strict", "pii"])) == {
        "x-gateway-end-user": "Zo%C3%AB%2C%20a%2Fb%2Bc",
        "x-gateway-guardrails": "strict,pii",
    }
    assert headers_of(CallOptions(guardrails="strict")) == {"x-gateway-guardrails": "strict"}
    with pytest.raises(ConfigurationError, match="`end_user` must be text"):
        headers_of(CallOptions(end_user="\ud800"))
