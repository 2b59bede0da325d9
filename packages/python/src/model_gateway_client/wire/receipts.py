"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from ..models import Record

if TYPE_CHECKING:
    from typing_extensions import Required
    from .deployments import PriceLine
    from .inference import Considered, GuardrailVerdict, ProviderError, Refusal, RefusedBy
    from .routing import RouteFeature


class ShadowDecision(Record):
    """Where `router.shadow` is on: `auto` decides and records, and routes nothing. null: it is off."""
    bucket: str
    score: float
    deployment: str | None
    """null: nothing in that bucket or above could have served the request."""
    expected_difference_usd: float | None
    """What the request was expected to cost more where it went than where `auto` would have sent it, USD; null: nobody knows a price."""


class ReceiptDecision(Record):
    """Who answered; without an answer who was asked last, or would have been. Its names are empty where the request was not routed."""
    _models = {"features": "RouteFeature", "considered": "Considered", "shadow": "ShadowDecision"}
    provider: str
    model: str
    deployment: str
    bucket: str
    """`none` when the caller named the model."""
    score: float
    """0 to 1; 0 when no score decided."""
    reasons: list[str]
    """Why, in plain words."""
    cut_points: list[float] | None
    """Where each bucket ended and the next began for this request; null: no score was asked for, or an earlier version did not record it."""
    features: list[RouteFeature]
    """What weighed most, strongest first, five at most; empty: nothing was scored, or it was not recorded."""
    considered: list[Considered] | None
    """Every deployment that was thought of: those that were to be tried, in order, then the others. Callers are not told of those that their keys may not use. null: lost with the process, or an earlier version did not record it."""
    shadow: ShadowDecision | None


class ReceiptPrice(Record):
    source: str
    version: str


class ReceiptCache(Record):
    """The response came from the response cache. Left out: it did not."""
    result: Literal["hit"]
    age_ms: float
    """Age of the response, milliseconds."""
    saved_usd: float
    """What the response cost when a provider gave it, USD."""
    from_receipt: str
    """The receipt of the request that it was given to first."""


class ReceiptFeedback(Record):
    score: float
    """0 to 1: how good the answer was."""
    at: str
    """When this score was given."""


class Receipt(Record):
    """What happened to one request, and what it cost. It holds nothing of what was asked or answered, unless an error message quotes it."""
    _models = {"decision": "ReceiptDecision", "attempts": "ReceiptAttempt", "usage": "ReceiptUsage", "price_lines": "PriceLine", "price": "ReceiptPrice", "refusal": "Refusal", "refused_by": "RefusedBy", "guardrails": "GuardrailVerdict", "cache": "ReceiptCache", "feedback": "ReceiptFeedback"}
    id: str
    """`rcpt_…`; the id of the request is the same with `req_`."""
    object: Literal["receipt"]
    at: str
    """When the request had been admitted and was routed, or when it was refused."""
    duration_ms: int
    """Milliseconds until it was over and booked."""
    key_id: str
    """Empty: it was refused before its key was known."""
    key_name: str | None
    """What the key was called then; null: it had no name, or an earlier version did not record it."""
    team: str | None
    endpoint: str | None
    """The path of the endpoint; null: the path is no endpoint's, or it was lost with the process."""
    requested_model: str | None
    """The `model` that the caller sent; null: refused before it was read, or lost with the process."""
    decision: ReceiptDecision
    """Who answered; without an answer who was asked last, or would have been. Its names are empty where the request was not routed."""
    attempts: list[ReceiptAttempt]
    """In order; empty: no deployment was asked."""
    usage: ReceiptUsage
    cost_usd: float | None
    """All attempts together, USD, as the ledger has it; null: nobody knows the price."""
    price_lines: list[PriceLine] | None
    """What `cost_usd` is made of, to the billionth of a dollar; null: nobody knows the price, or an earlier version did not record the rates."""
    baseline_usd: float | None
    """What the same tokens would have cost at the first deployment of the strongest bucket, USD; null: the caller named the model, nobody knows a price, or it was not recorded."""
    cost_is_estimate: bool
    """Some of it was counted by the gateway, because a provider did not say."""
    price: ReceiptPrice | None
    """Where the price comes from; null: nobody knows it."""
    status: Literal["ok", "failed", "cut", "client_gone", "refused", "abandoned", "blocked"]
    """`failed`: there was no answer. `cut`: it broke off after it had begun. `client_gone`: the caller left before its end. `refused`: by the gateway, before routing (`refusal`: a wrong key, a limit, a request that can't be read or served) or after it (a budget, the store). `abandoned`: the gateway's process died over it; its worst case was booked at the next start. `blocked`: a guardrail denied the request, or its response."""
    error: str | None
    """Why it did not end `ok`, as one word: the code of its refusal, `budget`, the outcome of its last attempt, or its status; null: it ended `ok`."""
    refusal: Refusal | None
    """null: it was routed."""
    refused_by: RefusedBy | None
    """The budget that had no room for it; null: none refused it, or an earlier version did not record which."""
    guardrails: list[GuardrailVerdict] | None
    """What each check did, at the request and at the response. Left out: no check ran."""
    cache: ReceiptCache | None
    """The response came from the response cache. Left out: it did not."""
    stream: bool
    client_disconnected: bool
    session_id: str | None
    """The `X-Gateway-Session-Id` that the caller sent; null: none, or it was not recorded."""
    end_user: str | None
    """The end user whom the request counted for. Left out: none, or it was not recorded."""
    tags: list[str]
    feedback: ReceiptFeedback | None
    """What the caller thought of the answer; null: it did not say."""


class ReceiptUsage(Record):
    """Of all attempts, in classes that do not overlap: tokens, whose sum is the total, and what else is billed. Those that are rare are left out where there is nothing of them."""
    input: int
    """Read, neither from a cache nor into one."""
    cached_input: int
    """Read from the provider's cache."""
    cache_write: int
    """Written to a cache that lives five minutes."""
    cache_write_1h: int
    """Written to a cache that lives an hour."""
    output: int
    """Visible output."""
    reasoning: int
    """Reasoning."""
    audio_input: int
    """Audio read."""
    audio_output: int
    """Audio produced."""
    cache_write_12h: int | None
    """Written to a cache that lives twelve hours."""
    cached_audio_input: int | None
    """Audio read from the provider's cache, where it is counted apart."""
    image_input: int | None
    """Tokens of images read, where they are counted apart."""
    image_output: int | None
    """Tokens of images produced."""
    images: int | None
    """Images that are billed by the piece."""
    audio_seconds: int | None
    """Seconds of audio."""
    characters: int | None
    """Characters."""
    rerank_units: int | None
    """Units of reranking."""
    request_fees: int | None
    """Calls with a fee of their own."""
    web_searches: int | None
    """Web searches by the provider."""
    file_searches: int | None
    """File searches by the provider."""
    code_executions: int | None
    """Code executions by the provider."""


class ReceiptAttempt(Record):
    """One call to one deployment."""
    _models = {"error": "ProviderError"}
    deployment: str
    outcome: Literal["ok", "rate_limited", "quota_exhausted", "auth", "unavailable", "connections_full", "connect_timeout", "first_token_timeout", "idle_timeout", "total_timeout", "truncated", "no_room", "context_length", "content_filter", "bad_request", "model_not_found", "unsupported", "client_gone", "shutdown", "abandoned", "failed"]
    """`ok`, or why it failed. `unsupported`: the request could not be said to this provider, which was not called. `client_gone`: the caller left. `shutdown`: the gateway was stopped. `abandoned`: its process died. `failed`: nobody knows why."""
    http_status: int | None
    """The provider's; null: none came."""
    error: ProviderError | None
    """null: the call did not fail, or an earlier version did not record it. Callers see it only where the request is at fault (`bad_request`, `context_length`, `content_filter`)."""
    adapted: list[str] | None
    """Names of the request's fields that were left out or changed for this deployment, as in `X-Gateway-Dropped-Params`, 20 at most. Left out: none, or an earlier version did not record them."""
    started_ms: int
    """Milliseconds since the request's `at`."""
    first_token_ms: int | None
    """Milliseconds since the request's `at`; null: no content came, or all of it at once."""
    duration_ms: int
    """Milliseconds."""
    cost_usd: float | None
    """USD; null: nobody knows the price."""
    service_tier: str | None
    """The service tier whose prices were booked, such as `flex`. Left out: the standard one."""


class ReceiptPage(Record):
    _models = {"data": "Receipt"}
    object: Literal["list"]
    data: list[Receipt]
    """Those that ended last come first."""
    has_more: bool
    next: str | None
    """What to give as `after` for the next page; null: this was the last."""
    scanned_to: str | None
    """The search for rare requests stopped at those that ended then, so that nobody waits for it: `next` goes on. Left out: it did not stop."""


class Feedback(Record):
    """As it stands in the receipt from now on."""
    object: Literal["receipt.feedback"]
    receipt_id: str
    score: float
    """0 to 1: how good the answer was."""
    at: str
    """When this score was given."""


class GiveFeedback(TypedDict, total=False):
    score: Required[float]
    """How good the answer was: 0 (useless) to 1 (as good as can be)."""


class ListRequestsQuery(TypedDict, total=False):
    limit: int
    """Receipts per page. Default: 100."""
    after: str
    """The `next` of the page before."""
    key: str
    """Only requests of this key: its id, or the name that it had then. Empty: of none that is known."""
    team: str
    """Only requests of this team."""
    model: str
    """Only requests for this model, or served by it: a name as sent, a deployment, provider/model or model."""
    status: Literal["ok", "failed", "cut", "client_gone", "refused", "abandoned", "blocked"]
    """Only requests that ended like this."""
    from_: str
    """Only requests from this time on, RFC 3339."""
    to: str
    """Only requests before this time, RFC 3339."""
    tag: str
    """Only requests with this tag."""
    end_user: str
    """Only requests that counted for the end users of this id."""
    session: str
    """Only requests of the sessions of this id."""
    bucket: str
    """Only requests of this bucket; `none`: those whose callers named the model."""
    deployment: str
    """Only requests for which this was asked."""
    endpoint: str
    """Only requests to this endpoint, such as `/v1/chat/completions`."""
    stream: bool
    """Only streams, or all others."""
    error: str
    """Only requests with this error: the outcome of an attempt, a provider's code, or the code of a refusal."""
    min_cost_usd: float
    """Only requests that cost at least this, USD."""
    min_duration_ms: int
    """Only requests that took at least this, milliseconds."""
    feedback: Literal["given", "none", "good", "bad"]
    """Only requests whose callers gave a score, gave none, found the answer good (from 0.5 on) or bad."""
    q: str
    """Only requests whose own id, receipt's id, key's id or key's name holds this."""
