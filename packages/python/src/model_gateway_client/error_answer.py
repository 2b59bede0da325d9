"""An answer that is no success, or an event that says so, as the error to raise."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from .errors import (
    AuthenticationError,
    BadRequestError,
    BudgetExceededError,
    GatewayConnectionError,
    GatewayError,
    InvalidAnswerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UpstreamError,
)
from .failures import MOST_OF_ANSWER

if TYPE_CHECKING:
    import httpx

_LIMITS = ("kind", "retry_after_seconds", "limit", "used", "scope", "subject", "models", "resets_at")


def fields_of(body: object, status: int | None, headers: httpx.Headers) -> dict[str, Any]:
    """What the body of an error says: `{"error": {…}}`, `{"error": "…"}`, or the detail alone."""
    detail = _detail(body)
    fields: dict[str, Any] = {name: _text(detail, name) for name in ("message", "type", "code", "param")}
    seconds = _number(detail, "retry_after_seconds")
    return {
        **fields,
        "guardrail": guardrail if isinstance(guardrail := detail.get("guardrail"), dict) else None,
        "status": status,
        "request_id": headers.get("x-request-id"),
        "headers": headers,
        "kind": _text(detail, "kind") or headers.get("x-gateway-limit-kind"),
        "retry_after_seconds": seconds if seconds is not None else seconds_of(headers.get("retry-after")),
        "limit": _number(detail, "limit"),
        "used": _number(detail, "used"),
        "scope": _text(detail, "scope"),
        "subject": _text(detail, "subject"),
        "models": models if isinstance(models := detail.get("models"), list) else None,
        "resets_at": _text(detail, "resets_at"),
    }


def plain_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Without the message, and without what only limits have."""
    return {name: value for name, value in fields.items() if name != "message" and name not in _LIMITS}


def error_of_answer(status: int, headers: httpx.Headers, text: str, where: str) -> GatewayError:
    """`text`: the body as it came, without the keys."""
    if 300 <= status < 400:
        return _moved(status, headers, where)
    fields = fields_of(parsed(text), status, headers)
    message = fields["message"] or f"{where} answered {status} with {_excerpt(headers.get('content-type'), text)}."
    kind = _class_of(status, fields)
    limits = {name: fields[name] for name in _LIMITS} if kind in (RateLimitError, BudgetExceededError) else {}
    return kind(message, **plain_fields(fields), **limits)


def invalid_answer(status: int, headers: httpx.Headers, text: str, where: str) -> InvalidAnswerError:
    """A success that is none."""
    fields = fields_of(parsed(text), status, headers)
    came = _excerpt(headers.get("content-type"), text)
    said = fields["message"] or f"{where} answered {status} with {came}. Is `base_url` the gateway's address?"
    return InvalidAnswerError(said, **plain_fields(fields))


def endless_answer(status: int, headers: httpx.Headers, where: str) -> InvalidAnswerError:
    """A success that goes on and on."""
    fields = plain_fields(fields_of(None, status, headers))
    return InvalidAnswerError(f"{where} answered {status} with more than {MOST_OF_ANSWER} bytes.", **fields)


def parsed(text: str | bytes) -> Any:
    """None: it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def seconds_of(text: str | None) -> float | None:
    """A number of seconds from 0 on."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _class_of(status: int, fields: dict[str, Any]) -> type[GatewayError]:
    kind = fields["kind"] or ""
    if status == 402 or "insufficient_quota" in (fields["type"], fields["code"]) or kind.startswith("budget"):
        return BudgetExceededError
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status < 500:
        return BadRequestError
    return UpstreamError if fields["type"] == "upstream_error" else ServerError


_BY_STATUS: dict[int, type[GatewayError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    429: RateLimitError,
    502: UpstreamError,
    504: UpstreamError,
    529: UpstreamError,
}


def _moved(status: int, headers: httpx.Headers, where: str) -> GatewayConnectionError:
    """Whoever followed would take the key and the prompt along, and some would ask for something else there."""
    try:
        target = urlsplit(urljoin(where, headers.get("location", "")))
        to = f" It points to {target.scheme}://{target.hostname}{target.path}." if target.hostname else ""
    except ValueError:
        to = ""
    return GatewayConnectionError(
        f"{where} sends its callers elsewhere ({status}), and redirects are not followed.{to}"
        " Give `base_url` the gateway's own address.",
        status=status,
        request_id=headers.get("x-request-id"),
        headers=headers,
    )


def _detail(body: object) -> dict[str, Any]:
    if not isinstance(body, dict):
        return {}
    error = body.get("error")
    if isinstance(error, dict):
        return error
    return {"message": error} if isinstance(error, str) else body


def _text(detail: dict[str, Any], name: str) -> str | None:
    value = detail.get(name)
    return value if isinstance(value, str) else None


def _number(detail: dict[str, Any], name: str) -> float | None:
    value = detail.get(name)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _excerpt(content_type: str | None, text: str) -> str:
    """What came instead of what was expected, in a few words that fit into a message."""
    flat = re.sub(r"\s+", " ", text[:1000]).strip()
    is_html = "html" in (content_type or "") or re.match(r"<(!doctype|html)", flat, re.IGNORECASE) is not None
    what = "an HTML page" if is_html else content_type or "no content type"
    if flat == "":
        return f"{what}, empty"
    return f"{what}: {flat[:120]}…" if len(flat) > 120 else f"{what}: {flat}"
