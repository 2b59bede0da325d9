from __future__ import annotations

import json
import pickle
from collections.abc import Callable

import httpx
import pytest

from model_gateway_client import (
    BadRequestError,
    BudgetExceededError,
    Gateway,
    GatewayConnectionError,
    NotFoundError,
    RateLimitError,
)
from model_gateway_client.decision import decision_of_body
from model_gateway_client.error_answer import error_of_answer


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


def test_a_denied_request_names_the_check_and_the_rule() -> None:
    found = {"check": "secrets", "rule": "aws_access_key"}
    body = {"error": {"message": "No.", "code": "guardrail_denied", "guardrail": found}}
    error = error_of_answer(400, httpx.Headers(), json.dumps(body), "http://host")
    assert isinstance(error, BadRequestError)
    assert error.guardrail == found
    assert json.loads(json.dumps(error.to_dict()))["guardrail"] == found


def test_a_limit_of_an_end_user_names_the_end_user_and_the_models() -> None:
    detail = {"message": "No.", "kind": "budget", "scope": "end_user", "subject": "ann", "models": ["openai/gpt-5*"]}
    error = error_of_answer(429, httpx.Headers(), json.dumps({"error": detail}), "http://host")
    assert isinstance(error, BudgetExceededError)
    assert (error.scope, error.subject, error.models) == ("end_user", "ann", ["openai/gpt-5*"])


def test_a_decision_says_what_guardrails_did() -> None:
    found = {"check": "pii", "action": "masked"}
    for guardrail, read in ((found, found), (None, None), ("x", None)):
        decision = decision_of_body({"decision": "p/m", "guardrail": guardrail}, httpx.Headers())
        assert decision is not None
        assert decision.guardrail == read
        assert isinstance(hash(decision), int)
