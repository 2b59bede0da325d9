"""Which deployment served a call, why, and what it cost: from the gateway's headers and its answers' `gateway` object."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Decision:
    """The gateway's decision for one call."""

    #: `<provider>/<model>` that served the call.
    decision: str
    #: The deployment's id.
    deployment: str
    provider: str
    #: The model's name at its provider.
    model: str
    #: What `auto` took the prompt for; `none` where the caller named the model.
    bucket: str
    #: 0 to 1: how demanding the prompt is.
    score: float
    #: USD; None where nobody knows the price, never 0 for that.
    cost_usd: float | None
    #: False while a stream runs, and of one that did not reach its end: `cost_usd` is then the most that it can cost.
    cost_is_final: bool
    #: How many attempts failed before.
    retries: int
    request_id: str | None
    #: For `gateway.receipts.get`.
    receipt_id: str | None
    #: The strictest thing that guardrails did: `check` and `action` (`flagged`, `masked`, `denied`). None: nothing, or the answer has no
    #: `gateway` object. While a stream runs it is None too.
    guardrail: dict[str, str] | None = field(default=None, hash=False)


def decision_of_headers(headers: Mapping[str, str]) -> Decision | None:
    """None when the headers are not the gateway's."""
    name = _decoded(headers.get("x-gateway-decision"))
    if name is None:
        return None
    provider, slash, model = name.partition("/")
    known = headers.get("x-gateway-cost-known") != "false"
    return Decision(
        decision=name,
        deployment=_decoded(headers.get("x-gateway-deployment")) or name,
        provider=provider if slash else "",
        model=model if slash else name,
        bucket=_decoded(headers.get("x-gateway-route-bucket")) or "none",
        score=_number(headers.get("x-gateway-route-score")) or 0,
        cost_usd=_number(headers.get("x-gateway-cost-usd")) if known else None,
        cost_is_final=headers.get("x-gateway-cost-final") != "false",
        retries=int(_number(headers.get("x-gateway-retries")) or 0),
        request_id=headers.get("x-request-id"),
        receipt_id=headers.get("x-gateway-receipt-id"),
    )


def decision_of_body(value: object, headers: Mapping[str, str]) -> Decision | None:
    """The `gateway` object of a whole answer or of a stream's last event: it is final, and knows more than the headers."""
    if not isinstance(value, dict) or not isinstance(value.get("decision"), str):
        return decision_of_headers(headers)
    name: str = value["decision"]
    provider, slash, model = name.partition("/")
    return Decision(
        decision=name,
        deployment=_text(value.get("deployment")) or _decoded(headers.get("x-gateway-deployment")) or name,
        provider=provider if slash else "",
        model=model if slash else name,
        bucket=_text(value.get("bucket")) or "none",
        score=_number(value.get("score")) or 0,
        cost_usd=_number(value.get("cost_usd")),
        cost_is_final=True,
        retries=int(_number(value.get("retries")) or 0),
        request_id=headers.get("x-request-id"),
        receipt_id=_text(value.get("receipt_id")) or headers.get("x-gateway-receipt-id"),
        guardrail=guardrail if isinstance(guardrail := value.get("guardrail"), dict) else None,
    )


_VISIBLE = re.compile(r"[\x21-\x7e]*\Z")


def _decoded(header: str | None) -> str | None:
    """The gateway percent-encodes a name only where it holds something outside visible ASCII.

    One that decodes to nothing else was never encoded, and its `%` are its own.
    """
    if header is None or "%" not in header:
        return header
    try:
        name = unquote(header, errors="strict")
    except UnicodeDecodeError:
        return header
    return header if _VISIBLE.match(name) else name


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
