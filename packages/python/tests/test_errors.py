from __future__ import annotations

import json
import pickle
from collections.abc import Callable

import pytest

from model_gateway_client import Gateway, GatewayConnectionError, NotFoundError, RateLimitError


def test_errors_are_pickled_shown_and_logged(gateway: Gateway) -> None:
    with pytest.raises(NotFoundError) as raised:
        gateway.chat.create(model="demo/nothing", messages=[{"role": "user", "content": "Hello"}])
    error = raised.value
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.status, again.request_id) == (NotFoundError, 404, error.request_id)
    assert "code='model_not_found'" in repr(error)
    assert json.loads(json.dumps(error.to_dict()))["error"] == "NotFoundError"


def test_a_redirect_to_what_is_no_address(script: Callable[[str], str]) -> None:
    client = Gateway(base_url=script("redirect"), api_key="mgw_scripted")
    with pytest.raises(GatewayConnectionError, match=r"127\.0\.0\.1/elsewhere"):
        client.models.list()


def test_a_limit_tells_its_kind_and_the_wait(script: Callable[[str], str]) -> None:
    client = Gateway(base_url=script("wait-long"), api_key="mgw_scripted")
    with pytest.raises(RateLimitError) as raised:
        client.models.list()
    assert (raised.value.kind, raised.value.retry_after_seconds) == ("rpm", 3600)
