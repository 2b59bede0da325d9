"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import Literal, TypedDict

from ..models import Record


class TrafficReportHistogramsLatencyMs(Record):
    from_: float
    """Milliseconds, inclusive."""
    to: float
    """Milliseconds, exclusive."""
    count: int


class TrafficReportHistogramsFirstTokenMs(Record):
    from_: float
    """Milliseconds, inclusive."""
    to: float
    """Milliseconds, exclusive."""
    count: int


class TrafficReportHistogramsScore(Record):
    from_: float
    """Inclusive."""
    to: float
    """Exclusive, but for 1."""
    count: int


class TrafficReportHistograms(Record):
    """Of all traffic asked for. With `histograms=true` only."""
    _models = {"latency_ms": "TrafficReportHistogramsLatencyMs", "first_token_ms": "TrafficReportHistogramsFirstTokenMs", "scores": "TrafficReportHistogramsScore"}
    latency_ms: list[TrafficReportHistogramsLatencyMs]
    """How many whole answers took so long, in classes that grow by a third. None of them is empty."""
    first_token_ms: list[TrafficReportHistogramsFirstTokenMs]
    """How many streams began after so long, in classes that grow by a third. None of them is empty."""
    scores: list[TrafficReportHistogramsScore]
    """How many prompts got such a score from `auto`, in all twenty classes from 0 to 1."""


class TrafficReport(Record):
    _models = {"total": "TrafficTotal", "before": "TrafficTotal", "histograms": "TrafficReportHistograms", "rows": "TrafficRow"}
    object: Literal["traffic"]
    from_: str
    """Inclusive: what was asked for, down to a whole interval."""
    to: str
    """Exclusive: what was asked for, up to a whole interval."""
    time_zone: str
    interval: Literal["minute", "hour", "day"] | None
    """null: not cut by time."""
    total: TrafficTotal
    before: TrafficTotal | None
    """All traffic of the time before that is as long, as far as it is kept. With `compare=true` only."""
    histograms: TrafficReportHistograms | None
    """Of all traffic asked for. With `histograms=true` only."""
    rows: list[TrafficRow]
    """In the order of time, then most requests first. Times without traffic have none."""
    has_more: bool
    """Whether `rows` was cut at `limit`. The total is of everything."""


class TrafficRowOverheadMs(Record):
    """What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts."""
    p50: float | None
    """Half of them; at most 5 % off; null: nothing to measure."""
    p99: float | None
    """99 %; at most 5 % off; null: nothing to measure."""


class TrafficRowTokensPerSecond(Record):
    """Output of streams after the first content."""
    p10: float | None
    """A tenth was slower than this; at most 5 % off; null: nothing to measure."""
    p50: float | None
    """Half was slower; at most 5 % off; null: nothing to measure."""


class TrafficRow(Record):
    """It names the dimensions that were asked for, and no others."""
    _models = {"latency_ms": "Times", "first_token_ms": "Times", "overhead_ms": "TrafficRowOverheadMs", "tokens_per_second": "TrafficRowTokensPerSecond"}
    start: str | None
    """The beginning of the interval, RFC 3339 with the offset of the time zone asked for."""
    deployment: str | None
    """The deployment; null: refused before one was chosen."""
    provider: str | None
    """Its provider."""
    model: str | None
    """Its model, as the provider is asked for it."""
    bucket: str | None
    """The bucket of `auto`; `none` where the caller named the model."""
    endpoint: str | None
    """The path of the endpoint."""
    stream: str | None
    """`true` or `false`."""
    status: str | None
    """How the request ended, as in its receipt."""
    error: str | None
    """How the attempt ended, as in the receipt, or the code of a refusal before routing. A request counts with its last attempt. With key, team or tag: refusals before routing only."""
    limit: str | None
    """The limit that refused it: `rpm`, `tpm`, `parallel` or `budget`."""
    key: str | None
    """The id of the key; null: requests that were refused before it was known."""
    key_name: str | None
    """What the key is called now, beside `key`; null: it has no name."""
    team: str | None
    """The team; null: keys without one."""
    tag: str | None
    """The tag; null: requests without one. A request with several counts in each of them."""
    requests: int
    """Requests, refused ones included. Each counts with its last attempt."""
    ok: int
    """Answered."""
    failed: int
    """Without an answer, or lost with the process."""
    cut: int
    """Broken off after the answer had begun."""
    client_gone: int
    """The caller left before the end."""
    refused: int
    """By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store."""
    failure_rate: float | None
    """(failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none."""
    retried: int
    """Took more than one attempt."""
    attempts: int
    """Calls of deployments."""
    latency_ms: Times
    """From the beginning to the end of whole answers."""
    first_token_ms: Times
    """To the first content of streams."""
    overhead_ms: TrafficRowOverheadMs
    """What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts."""
    tokens_per_second: TrafficRowTokensPerSecond
    """Output of streams after the first content."""
    input_tokens: int
    """Everything read, cached input included."""
    cached_input_tokens: int
    """The part of it that providers had in their caches."""
    output_tokens: int
    """Everything produced, reasoning included."""
    cost_usd: float
    """Of all attempts, USD, as the ledger has it."""
    unpriced: int
    """Answers whose price nobody knows: they are no part of `cost_usd`."""
    auto_baseline_usd: float
    """What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD."""


class Times(Record):
    """Milliseconds."""
    p50: float | None
    """Half of them took at most this; at most 5 % off; null: nothing to measure."""
    p90: float | None
    """90 %; at most 5 % off; null: nothing to measure."""
    p95: float | None
    """95 %; at most 5 % off; null: nothing to measure."""
    p99: float | None
    """99 %; at most 5 % off; null: nothing to measure."""
    max: float | None
    """The longest, exactly."""


class TrafficTotalOverheadMs(Record):
    """What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts."""
    p50: float | None
    """Half of them; at most 5 % off; null: nothing to measure."""
    p99: float | None
    """99 %; at most 5 % off; null: nothing to measure."""


class TrafficTotalTokensPerSecond(Record):
    """Output of streams after the first content."""
    p10: float | None
    """A tenth was slower than this; at most 5 % off; null: nothing to measure."""
    p50: float | None
    """Half was slower; at most 5 % off; null: nothing to measure."""


class TrafficTotal(Record):
    _models = {"latency_ms": "Times", "first_token_ms": "Times", "overhead_ms": "TrafficTotalOverheadMs", "tokens_per_second": "TrafficTotalTokensPerSecond"}
    requests: int
    """Requests, refused ones included. Each counts with its last attempt."""
    ok: int
    """Answered."""
    failed: int
    """Without an answer, or lost with the process."""
    cut: int
    """Broken off after the answer had begun."""
    client_gone: int
    """The caller left before the end."""
    refused: int
    """By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store."""
    failure_rate: float | None
    """(failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none."""
    retried: int
    """Took more than one attempt."""
    attempts: int
    """Calls of deployments."""
    latency_ms: Times
    """From the beginning to the end of whole answers."""
    first_token_ms: Times
    """To the first content of streams."""
    overhead_ms: TrafficTotalOverheadMs
    """What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts."""
    tokens_per_second: TrafficTotalTokensPerSecond
    """Output of streams after the first content."""
    input_tokens: int
    """Everything read, cached input included."""
    cached_input_tokens: int
    """The part of it that providers had in their caches."""
    output_tokens: int
    """Everything produced, reasoning included."""
    cost_usd: float
    """Of all attempts, USD, as the ledger has it."""
    unpriced: int
    """Answers whose price nobody knows: they are no part of `cost_usd`."""
    auto_baseline_usd: float
    """What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD."""


class GetTrafficQuery(TypedDict, total=False):
    from_: str
    """RFC 3339 or YYYY-MM-DD. Default: a day before `to`."""
    to: str
    """RFC 3339 or YYYY-MM-DD. Default: now."""
    tz: str
    """IANA name of the time zone of days. Default: UTC."""
    interval: Literal["minute", "hour", "day"]
    """Cuts every group by time. Minutes are kept for 48 hours, hours for 90 days, days for two years. Callers (key, team, tag) have no minutes."""
    group_by: str
    """Any of deployment, provider, model, bucket, endpoint, stream, status, error, limit, key, team, tag, separated by commas; key, team and tag with each other, status, error and limit only."""
    deployment: str
    """Only this deployment."""
    provider: str
    """Only this provider."""
    model: str
    """Only this model."""
    bucket: str
    """Only this bucket."""
    endpoint: str
    """Only this endpoint, such as `/v1/chat/completions`."""
    stream: bool
    """Only streams, or all others."""
    status: Literal["ok", "failed", "cut", "client_gone", "refused", "abandoned", "blocked"]
    """Only requests that ended so."""
    error: str
    """Only attempts that ended so, or refusals with this code."""
    limit_kind: Literal["rpm", "tpm", "parallel", "budget"]
    """Only requests that this limit refused."""
    key: str
    """Only this key."""
    team: str
    """Only this team."""
    tag: str
    """Only requests with this tag."""
    histograms: bool
    """Whether to tell how long answers took, and scores of `auto`, as histograms too. Default: false."""
    compare: bool
    """Whether to sum up the time before too. Default: false."""
    limit: int
    """Rows. Default: 10000."""
