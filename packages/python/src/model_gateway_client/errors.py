"""What can go wrong: one class per kind. No key is in any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

    from .decision import Decision


class GatewayError(Exception):
    """Anything the gateway, or what stands in for it, answered or failed to answer."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        type: str | None = None,
        code: str | None = None,
        param: str | None = None,
        guardrail: dict[str, str] | None = None,
        request_id: str | None = None,
        headers: httpx.Headers | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status; None when there was no answer.
        self.status = status
        self.type = type
        #: The exact reason, for programs: `model_not_found`.
        self.code = code
        #: The field of the request that it is about.
        self.param = param
        #: With the code `guardrail_denied`: the `check`, and the `rule` that found a match.
        self.guardrail = guardrail
        self.request_id = request_id
        #: The answer's headers.
        self.headers = headers

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.__class__, self.__dict__)

    def to_dict(self) -> dict[str, Any]:
        """What is known, for a log."""
        shown = {name: value for name, value in self.__dict__.items() if name not in _NOT_SHOWN and value is not None}
        return {"error": self.__class__.__name__, **shown}

    def __repr__(self) -> str:
        said = {name: value for name, value in self.to_dict().items() if name not in ("error", "message")}
        more = "".join(f", {name}={value!r}" for name, value in said.items())
        return f"{self.__class__.__name__}({self.message!r}{more})"


_NOT_SHOWN = frozenset({"headers", "partial", "gateway"})


def _rebuilt(kind: type[GatewayError], fields: dict[str, Any]) -> GatewayError:
    error = kind(fields["message"])
    error.__dict__.update(fields)
    return error


class ConfigurationError(GatewayError):
    """The client's options, or the arguments of a call, can't be used: nothing was sent."""


class AuthenticationError(GatewayError):
    """401: no key, or none that opens anything (any more)."""


class PermissionDeniedError(GatewayError):
    """403: the key may not do this; above all, use this model."""


class NotFoundError(GatewayError):
    """404: there is no such model, key, team, receipt, response, or path."""


class BadRequestError(GatewayError):
    """400 and other 4xx: the request is at fault; `param` names the field."""


class _LimitError(GatewayError):
    def __init__(
        self,
        message: str,
        *,
        kind: str | None = None,
        retry_after_seconds: float | None = None,
        limit: float | None = None,
        used: float | None = None,
        scope: str | None = None,
        subject: str | None = None,
        models: list[str] | None = None,
        resets_at: str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(message, **fields)
        #: Of a rate: `rpm`, `tpm`, `parallel`, `upstream`, `feedback`, `auth_failures`; else `budget`, `budget_reserved`.
        self.kind = kind
        #: Who waits that long is admitted.
        self.retry_after_seconds = retry_after_seconds
        #: Requests, tokens, or USD.
        self.limit = limit
        self.used = used
        #: `key`, `team`, `end_user` or `session`.
        self.scope = scope
        #: The id of the end user or session; None: the limit is the key's or team's own.
        self.subject = subject
        #: The models of the rule that refused the request; None: no model rule did.
        self.models = models
        #: RFC 3339, UTC.
        self.resets_at = resets_at


class RateLimitError(_LimitError):
    """429: too many requests or tokens; it passes by itself."""


class BudgetExceededError(_LimitError):
    """A budget of the key, team, end user or session is used up (`budget`), or held by requests in flight (`budget_reserved`)."""


class UpstreamError(GatewayError):
    """The gateway works, the providers behind it failed."""


class ServerError(GatewayError):
    """Any other 5xx: the gateway failed, drains, or can't use its store; or it is another server."""


class GatewayConnectionError(GatewayError):
    """Nobody answered, the connection broke before the answer was whole, or the answer sends callers elsewhere."""

    #: The connection never came about: nothing was sent.
    refused = False


class GatewayTimeoutError(GatewayError):
    """Nothing came within `timeout` seconds. The call was sent, and may be paid for: it is not sent again."""


class InvalidAnswerError(GatewayError):
    """A success that is not what was asked for: an HTML page, another shape."""


class StreamInterruptedError(GatewayError):
    """A stream that had begun failed, stopped, broke, or fell silent: an answer is never silently shorter."""

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        partial: dict[str, Any] | None = None,
        gateway: Decision | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(message, **fields)
        #: The text that had arrived.
        self.text = text
        #: Everything that had arrived, put together as `final()` would have.
        self.partial = partial
        #: Who served it, and the most that it can have cost.
        self.gateway = gateway
