"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from ..models import Record


class AuditPage(Record):
    _models = {"data": "AuditEntry"}
    object: Literal["list"]
    data: list[AuditEntry]
    """Newest first."""
    has_more: bool
    next: int | None
    """What to give as `after` for the next page; null: this was the last."""


class AuditEntryActor(Record):
    kind: Literal["master_key", "session", "sign_in_link", "command_line", "user", "service_token", "identity_provider"]
    id: str
    """The id of the person, the service token or the session; `master_key` for the key itself; `sign_in_link` for the link that `demo` prints; `command_line` for a command on the store itself."""
    name: str | None
    """The present name of the person or the service token; null: none, or it was erased."""
    address: str | None
    """Where the request came from; null: no address."""


class AuditEntry(Record):
    _models = {"actor": "AuditEntryActor"}
    object: Literal["audit_entry"]
    id: int
    at: str
    """RFC 3339 in UTC."""
    actor: AuditEntryActor
    action: Literal["keys.create", "keys.update", "keys.revoke", "keys.rotate", "keys.import", "teams.put", "teams.delete", "teams.policy", "end_users.put", "end_users.delete", "deployments.disable", "deployments.enable", "deployments.reset", "config.reload", "content.read", "sessions.open", "sessions.close", "sessions.revoke", "sessions.close_all", "users.roles_changed", "users.update", "users.erase", "users.sign_out", "members.put", "members.delete", "tokens.create", "tokens.revoke", "sign_ins.approve", "sign_ins.deny", "sign_ins.revoke", "cache.purge"]
    target: str | None
    """The id or name of what was changed; null: there is one."""
    before: Any
    after: Any


class NodeList(Record):
    _models = {"data": "Node"}
    object: Literal["list"]
    data: list[Node]
    """The longest at work first."""
    trouble: str | None
    """Why the store could not be asked: the others are as they were last known. null: it was asked."""


class Node(Record):
    object: Literal["node"]
    id: int
    """Another one after each start, and the first half of the ids of its rows in the ledger. 0: the process that owns a file."""
    name: str
    """The name of its machine."""
    version: str
    """Of the program; empty until it has told it."""
    since: str
    """When it joined."""
    lease_ms: int | None
    """For so long it may work without a word from the store; null: the store is a file of its own."""
    last_beat_at: str | None
    """When the store last heard of it, by the store's clock; null: the store is a file of its own."""
    flush_lag_ms: int
    """How long its oldest unwritten row has been waiting."""
    shares_held: int
    """Limits and budgets of which it holds a share."""
    state: Literal["working", "refusing", "silent"]
    """`refusing`: it lives and takes no new work, since the store refuses its writes. `silent`: the store has not heard of it for longer than its lease."""
    is_this: bool
    """It is the one that answers."""


class InfoStore(Record):
    path: str | None
    """null: in memory."""
    bytes: int
    schema: int
    """The number of the last change of its tables."""


class InfoPriceList(Record):
    source: str
    version: str


class Info(Record):
    _models = {"store": "InfoStore", "price_list": "InfoPriceList"}
    object: Literal["info"]
    version: str
    node: str
    """The runtime."""
    started_at: str
    """RFC 3339 in UTC."""
    uptime_seconds: int
    store: InfoStore | None
    """null: only global roles see it."""
    receipts_keep_seconds: int
    """How long receipts are kept; 0: none are."""
    price_list: InfoPriceList | None
    """Where prices come from that the configuration does not give; null: it gives them all."""
    demo: bool
    """Every provider is the demo's."""
    keys: int | None
    """Virtual keys that are not revoked; null: only global roles see it."""
    alerts: int
    """Alerts that are configured."""


class ConfigReload(Record):
    """It is in force but for the fields that need a restart."""
    object: Literal["config_reload"]
    needs_restart: list[str]
    """The fields whose new values are not in force before a restart."""


class Config(Record):
    """What is in force, and what the file says."""
    _models = {"fields": "ConfigField"}
    object: Literal["config"]
    file: str
    loaded_at: str
    """When what is in force was read."""
    fields: list[ConfigField]
    """What the file holds now, without secrets."""
    warnings: list[str]
    """What is in force and may surprise."""
    problems: str | None
    """What is wrong with the file now, each with its place: a reload would change nothing. null: nothing."""
    changes: list[str]
    """The sections that a reload would change."""
    needs_restart: list[str]
    """The fields whose values in the file are not in force before a restart."""


class ConfigField(Record):
    path: str
    value: str | float | bool | None
    """As the file has it, so that `${NAME}` stays a name; null: it is a secret, or nothing."""
    secret: bool
    """The value is not shown."""
    line: int
    column: int


class SpendReport(Record):
    _models = {"total": "SpendTotal", "by_key": "SpendRow", "by_team": "SpendRow", "by_model": "SpendRow", "rows": "SpendRow"}
    object: Literal["spend"]
    from_: str
    """Inclusive."""
    to: str
    """Exclusive."""
    time_zone: str
    total: SpendTotal
    by_key: list[SpendRow] | None
    """Per key, dearest first. Without `group_by`."""
    by_team: list[SpendRow] | None
    """Per team, dearest first. Without `group_by`."""
    by_model: list[SpendRow] | None
    """Per model of each provider, dearest first. Without `group_by`."""
    group_by: list[Literal["key", "team", "model", "provider", "tag", "end_user", "session", "user", "client", "bucket", "hour", "day", "month"]] | None
    rows: list[SpendRow] | None
    """Per group of `group_by`, dearest first."""
    has_more: bool
    """Whether a list was cut at `limit`. The total is of everything all the same."""


class SpendRow(Record):
    """It names the dimensions that were asked for, and no others."""
    key: str | None
    """The id of the key."""
    key_name: str | None
    """What the key is called now, beside `key`; null: it has no name."""
    team: str | None
    """The team; null: keys without one."""
    model: str | None
    """The model, as the provider is asked for it."""
    provider: str | None
    """The provider's name in the configuration."""
    tag: str | None
    """The tag; null: requests without one. A request with several tags counts in each of them."""
    end_user: str | None
    """The end user. Requests without one are in no row."""
    session: str | None
    """The session, as `X-Gateway-Session-Id` or a coding agent names it. Requests without one are in no row."""
    client: str | None
    """The client, such as `codex`. Requests of clients that are not known are in no row."""
    user: str | None
    """The person whose personal keys spent it, `user_…`. Requests of other keys are in no row."""
    bucket: str | None
    """The bucket of `auto`; `none`: the caller named the model."""
    hour: str | None
    """The hour, RFC 3339 with the offset of the time zone asked for."""
    day: str | None
    """The day, YYYY-MM-DD, in the time zone asked for."""
    month: str | None
    """The month, YYYY-MM, in the time zone asked for."""
    cost_usd: float
    """USD."""
    estimated_cost_usd: float
    """The part of `cost_usd` that was counted here and not by the provider, USD."""
    requests: int
    """Requests, failed ones included."""
    failed_requests: int
    input_tokens: int
    """Everything read, cached input included."""
    cached_input_tokens: int
    """The part of `input_tokens` that the provider had in its cache."""
    output_tokens: int
    """Everything produced, reasoning included."""
    reasoning_tokens: int
    """The part of `output_tokens` that was reasoning."""
    auto_requests: int
    """Requests for `auto`, failed ones included."""
    auto_cost_usd: float
    """The part of `cost_usd` that was for `auto`, USD: all attempts that were billed."""
    auto_baseline_usd: float
    """What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it."""
    last_at: str | None
    """The last request; null without any."""
    cache_hits: int | None
    """The part of `requests` that the response cache answered. Left out: none."""
    cache_saved_usd: float | None
    """What the responses of `cache_hits` cost when a provider gave them, USD."""
    units: dict[str, Any] | None
    """What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing."""


class SpendTotal(Record):
    cost_usd: float
    """USD."""
    estimated_cost_usd: float
    """The part of `cost_usd` that was counted here and not by the provider, USD."""
    requests: int
    """Requests, failed ones included."""
    failed_requests: int
    input_tokens: int
    """Everything read, cached input included."""
    cached_input_tokens: int
    """The part of `input_tokens` that the provider had in its cache."""
    output_tokens: int
    """Everything produced, reasoning included."""
    reasoning_tokens: int
    """The part of `output_tokens` that was reasoning."""
    auto_requests: int
    """Requests for `auto`, failed ones included."""
    auto_cost_usd: float
    """The part of `cost_usd` that was for `auto`, USD: all attempts that were billed."""
    auto_baseline_usd: float
    """What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it."""
    last_at: str | None
    """The last request; null without any."""
    cache_hits: int | None
    """The part of `requests` that the response cache answered. Left out: none."""
    cache_saved_usd: float | None
    """What the responses of `cache_hits` cost when a provider gave them, USD."""
    units: dict[str, Any] | None
    """What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing."""


class GetSpendQuery(TypedDict, total=False):
    from_: str
    """Inclusive: RFC 3339 or YYYY-MM-DD. Default: the beginning of the month that `to` ends or lies in."""
    to: str
    """Exclusive: RFC 3339 or YYYY-MM-DD. Default: the end of the present month."""
    tz: str
    """IANA name of the time zone of days, months and defaults. Default: UTC."""
    key: str
    """Only this key."""
    team: str
    """Only this team."""
    model: str
    """Only this model."""
    provider: str
    """Only this provider."""
    end_user: str
    """Only the end users of this id."""
    session: str
    """Only the sessions of this id."""
    client: str
    """Only the client of this name."""
    user: str
    """Only the personal keys of this person."""
    group_by: str
    """One cut instead of the three: any of key, team, model, provider, tag, end_user, session, user, client, bucket, hour, day, month, separated by commas; bucket with model, provider and time only, in whole hours; end_user, session, client and user not together."""
    format: Literal["json", "csv"]
    """`csv`: the rows of `group_by` as text/csv, with a line of names. Default: json."""
    interval: Literal["hour", "day", "month"]
    """Cuts every group by time as well."""
    limit: int
    """Rows of each list, the dearest. Default: 1000; 100000 where rows are cut by time."""


class ListAuditQuery(TypedDict, total=False):
    limit: int
    """Entries per page. Default: 100."""
    after: int
    """The `next` of the page before."""
    actor: str
    """Only what this person, service token or session did, or `master_key`."""
    action: Literal["keys.create", "keys.update", "keys.revoke", "keys.rotate", "keys.import", "teams.put", "teams.delete", "teams.policy", "end_users.put", "end_users.delete", "deployments.disable", "deployments.enable", "deployments.reset", "config.reload", "content.read", "sessions.open", "sessions.close", "sessions.revoke", "sessions.close_all", "users.roles_changed", "users.update", "users.erase", "users.sign_out", "members.put", "members.delete", "tokens.create", "tokens.revoke", "sign_ins.approve", "sign_ins.deny", "sign_ins.revoke", "cache.purge"]
    """Only this."""
    target: str
    """Only what was done to this key, team, deployment, session, person or service token."""
    from_: str
    """Only from this time on, RFC 3339."""
    to: str
    """Only before this time, RFC 3339."""
