"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from ..models import Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from .keys import ProviderKey


class PriceLine(Record):
    """A part of what a request cost."""
    attempt: int
    """Which attempt it belongs to, from 1."""
    deployment: str
    class_: str
    """A class of `usage`. `held`: what was held for the attempt was booked, since what it used is not known or has no price."""
    count: int | None
    """null: `held`."""
    unit: str | None
    """null: `held`."""
    rate_usd: float | None
    """USD for `per` units; null: `held`, or nobody knows."""
    per: int | None
    """null: `held`."""
    cost_usd: float | None
    """USD. The cost is rounded to a billionth of a dollar once, and its lines are made to add up to it: one may differ from its count times its rate by a billionth. null: nobody knows the rate, and it is no part of the cost."""


class DeploymentList(Record):
    _models = {"data": "Deployment"}
    object: Literal["list"]
    data: list[Deployment]
    """In the order of the configuration."""


class Deployment(Record):
    """One model at one provider."""
    _models = {"health": "Health", "keys": "ProviderKey", "price": "Price"}
    id: str
    object: Literal["deployment"]
    provider: str
    """The provider's name in the configuration."""
    model: str
    """What the provider is asked for."""
    protocol: str
    """The wire language spoken to the provider."""
    status: Literal["in_rotation", "out_of_rotation"]
    health: Health
    tokens_per_second_p50: float | None
    """Output of its streams after the first token, half of them slower, in the last hour; null: nothing to measure."""
    failure_rate_15m: float | None
    """Failed calls over calls of the last 15 minutes, 0 to 1. Calls whose caller left, or whose request was at fault, count neither way. null: there were none."""
    requests_1h: int
    """Calls of it in the last hour that count, as in `failure_rate_15m`."""
    failed_1h: int
    """Those of them that failed."""
    keys: list[ProviderKey]
    """The provider's keys, in the order of the configuration; empty: it has none."""
    buckets: list[str]
    """The buckets of `auto` that it serves."""
    weight: float
    priority: float
    """Lower is tried first where the order is by priority."""
    price: Price | None
    """null: nobody knows."""
    context_window: int | None
    """Tokens of input and output together; null: unknown."""
    max_output_tokens: int | None
    supports: list[str]
    """What it can do."""
    in_flight: int
    """Requests it is answering now."""
    max_in_flight: int | None


class PriceTier(Record):
    above_input_tokens: int
    """The tier holds for requests with more input tokens than this."""
    input: float
    """Input, USD per million tokens."""
    cached_input: float
    """Input read from the provider's cache, USD per million tokens."""
    cache_write: float
    """Input written to the provider's cache, USD per million tokens."""
    output: float
    """Output, USD per million tokens."""
    reasoning: float
    """Reasoning, USD per million tokens."""


class Price(Record):
    """The prices in force now."""
    _models = {"tiers": "PriceTier"}
    input: float
    """Input, USD per million tokens."""
    cached_input: float
    """Input read from the provider's cache, USD per million tokens."""
    cache_write: float
    """Input written to the provider's cache, USD per million tokens."""
    output: float
    """Output, USD per million tokens."""
    reasoning: float
    """Reasoning, USD per million tokens."""
    tiers: list[PriceTier]
    """Other prices for long requests, by ascending threshold; they then hold for all of the tokens."""
    source: str
    """`configuration`, or `catalogue`."""
    version: str


class HealthLastError(Record):
    at: str
    """RFC 3339 in UTC."""
    class_: str
    """What sort of failure, e.g. `unavailable`, `rate_limited`."""
    status: int | None
    """The provider's HTTP status; null: it gave none."""
    code: str | None
    """The provider's error code, where it gave one."""
    message: str
    """In the gateway's words: what a provider says may quote the caller."""


class Health(Record):
    """What recent real traffic says of a deployment. It is never called just to see."""
    _models = {"last_error": "HealthLastError"}
    circuit: Literal["closed", "open", "half_open"]
    """closed: it is called; open: it is not, for a while; half_open: one request tries it."""
    since: str | None
    """When the circuit opened, or closed after it had been open; null: it never was."""
    consecutive_failures: int
    error_rate: float
    """What the circuit goes by: failures over calls of the last 30 s, or since it closed, 0 to 1. See `failure_rate_15m` for people."""
    latency_ms_p50: float | None
    """Median of whole answers, milliseconds."""
    latency_ms_p95: float | None
    """95 % of whole answers took at most this."""
    ttft_ms_p50: float | None
    """Median time to the first token, milliseconds."""
    ttft_ms_p95: float | None
    """95 % of streams began within this."""
    last_error: HealthLastError | None


class DeploymentSelection(TypedDict, total=False):
    """One deployment, or several."""
    deployment: str
    """The id of a deployment."""
    deployments: Sequence[str]
    """The ids of several: all of them change, or none."""
