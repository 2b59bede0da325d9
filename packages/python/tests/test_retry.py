from __future__ import annotations

import httpx

from model_gateway_client import BudgetExceededError, GatewayConnectionError, RateLimitError, ServerError
from model_gateway_client.retry import pause_before


def headers(**fields: str) -> httpx.Headers:
    return httpx.Headers({name.replace("_", "-"): value for name, value in fields.items()})


def test_what_the_answer_says_is_followed() -> None:
    error = RateLimitError("", status=429, headers=headers(retry_after="1", retry_after_ms="20"))
    assert pause_before(error, 0, False) == 0.02
    assert pause_before(RateLimitError("", headers=headers(retry_after="3")), 0, False) == 3
    assert pause_before(RateLimitError("", headers=headers(retry_after="61")), 0, False) is None
    assert pause_before(RateLimitError("", headers=headers(x_should_retry="false")), 0, True) is None
    past = headers(retry_after="Sun, 06 Nov 1994 08:49:37 GMT")
    assert pause_before(RateLimitError("", headers=past), 0, False) == 0


def test_nonsense_is_no_wait() -> None:
    for nonsense in ("soon", "-1", "nan", "inf", ""):
        pause = pause_before(RateLimitError("", headers=headers(retry_after=nonsense)), 0, False)
        assert pause is not None
        assert 0.375 <= pause <= 0.625


def test_pauses_double_up_to_a_bound() -> None:
    pause = pause_before(RateLimitError(""), 9, False)
    assert pause is not None
    assert 6 <= pause <= 10


def test_what_is_asked_again() -> None:
    refused = GatewayConnectionError("")
    refused.refused = True
    assert pause_before(refused, 0, False) is not None
    assert pause_before(GatewayConnectionError(""), 0, False) is None
    assert pause_before(GatewayConnectionError(""), 0, True) is not None
    assert pause_before(ServerError("", status=500), 0, False) is None
    assert pause_before(ServerError("", status=500), 0, True) is not None
    assert pause_before(ServerError("", status=503, type="server_error"), 0, False) is not None
    assert pause_before(BudgetExceededError("", status=429), 0, True) is None
