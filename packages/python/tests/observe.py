"""What a step's call gave, in the words of the conformance suite."""

from __future__ import annotations

import json
import traceback
from pathlib import Path
from typing import Any

import model_gateway_client as mgc
from model_gateway_client import Answer, Decision, GatewayError, Record

Observation = dict[str, Any]
SOURCE = str(Path(mgc.__file__).parent)

CLASSES: tuple[tuple[str, type[GatewayError]], ...] = (
    ("configuration", mgc.ConfigurationError),
    ("authentication", mgc.AuthenticationError),
    ("permission", mgc.PermissionDeniedError),
    ("not_found", mgc.NotFoundError),
    ("bad_request", mgc.BadRequestError),
    ("rate_limit", mgc.RateLimitError),
    ("budget", mgc.BudgetExceededError),
    ("upstream", mgc.UpstreamError),
    ("server", mgc.ServerError),
    ("timeout", mgc.GatewayTimeoutError),
    ("connection", mgc.GatewayConnectionError),
    ("stream_interrupted", mgc.StreamInterruptedError),
    ("invalid_answer", mgc.InvalidAnswerError),
)


def error_of(error: Exception) -> Observation:
    if not isinstance(error, GatewayError):
        return {"class": type(error).__name__, "message": str(error)}
    names = ("status", "code", "param", "request_id", "kind", "retry_after_seconds", "limit", "used", "scope")
    seen = {name: getattr(error, name) for name in names if getattr(error, name, None) is not None}
    if isinstance(error, mgc.StreamInterruptedError):
        seen["partial"] = error.text
    kind = next(name for name, kind in CLASSES if isinstance(error, kind))
    return {"class": kind, "message": error.message, **seen}


def shown(*values: object) -> str:
    """As programs and logs show them: a trace with the locals of our own functions too."""
    texts = []
    for value in values:
        texts += [repr(value), str(value), repr(getattr(value, "__dict__", None))]
        if isinstance(value, GatewayError):
            texts.append(json.dumps(value.to_dict(), default=repr))
        if isinstance(value, BaseException):
            trace = traceback.TracebackException.from_exception(value, capture_locals=True)
            while trace is not None:
                for frame in trace.stack:
                    texts.append(f"{frame.line} {frame.locals if frame.filename.startswith(SOURCE) else ''}")
                trace = trace.__cause__ or trace.__context__  # type: ignore[assignment]
    return "\n".join(texts)


def decision_of(decision: Decision | None) -> Observation | None:
    return None if decision is None else dict(vars(decision))


def note_answer(answer: Any, seen: Observation) -> None:
    """A whole answer of any kind."""
    if isinstance(answer, mgc.BytesAnswer):
        seen["bytes"] = len(answer.content)
        seen["gateway"] = decision_of(answer.gateway)
    elif isinstance(answer, Record):
        seen["body"] = answer.to_dict()
        if isinstance(answer, Answer):
            seen["gateway"] = decision_of(answer.gateway)
        if isinstance(answer, mgc.ParsedChatCompletion):
            seen["parsed"] = answer.parsed


def note_final(final: Answer, seen: Observation) -> None:
    seen["final"] = final.to_dict()


def note_raw(answer: Any, seen: Observation) -> None:
    seen["raw"] = {"status": answer.raw.status_code, "headers": dict(answer.raw.headers)}


def text_in(event: Record) -> str:
    """The text of one event, in any of the forms."""
    wire = event.to_dict()
    kind = wire.get("type", "")
    if "choices" in wire:
        choice = wire["choices"][0] if wire["choices"] else {}
        return (choice.get("delta") or {}).get("content") or choice.get("text") or ""
    if kind == "content_block_delta":
        return str(wire["delta"].get("text", ""))
    return str(wire["delta"]) if kind in ("response.output_text.delta", "transcript.text.delta") else ""
