"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing_extensions import Required
    from .inference import CacheRules, OwnScope


class Budget(Record):
    """An amount to spend in each window of time, and how much is left of it."""
    _models = {"raises": "BudgetRaise"}
    usd: float
    """The amount, USD."""
    window: Literal["hour", "day", "week", "month", "total"]
    """How long the amount has to last. `total` never resets. Weeks begin on Monday."""
    time_zone: str
    """IANA name: where the window begins and ends."""
    raises: list[BudgetRaise] | None
    soft_usd: float | None
    """USD."""
    raised_usd: float | None
    """What raises add to `usd` at present, USD."""
    spent_usd: float
    """Spent in the present window, USD."""
    reserved_usd: float
    """Held by requests in flight, USD."""
    remaining_usd: float
    """What is left: `usd` and `raised_usd` less spent and reserved, at least 0, USD."""
    resets_at: str | None
    """When the window ends; null for `total`."""


class BudgetRaise(TypedDict, total=False):
    """What is added to a budget for a time. It ends by itself."""
    add_usd: Required[float]
    """What is added to the amount, USD."""
    from_: str
    """When it begins. Default: immediately."""
    until: Required[str]
    """When it ends, exclusive."""
    reason: str
    """1 to 200 characters."""


class BudgetInput(TypedDict, total=False):
    """An amount to spend in each window of time."""
    usd: Required[float]
    """USD, above 0, at most 9000000, with at most 9 decimals."""
    window: Literal["hour", "day", "week", "month", "total"]
    """How long the amount has to last. Default: total."""
    time_zone: str
    """IANA name: where the window begins and ends. Default: UTC."""
    raises: Sequence[BudgetRaise | Mapping[str, Any]]
    """What is added to the amount for a time. Left out: those of the budget of this window stay."""
    soft_usd: float | None
    """Above this amount responses have `X-Gateway-Budget-Soft-Exceeded`. Nothing is refused for it. USD; null: none. Left out: that of the budget of this window stays."""


class Limits(Record):
    """What may be asked for in a time."""
    rpm: int | None
    tpm: int | None
    max_parallel: int | None


class BudgetUse(Record):
    scope: Literal["key", "team", "end_user"]
    id: str
    """The id of the key, the name of the team, or `<owner>/<id>` of the end user, as under `/admin/end-users`."""
    name: str | None
    """What people call the key."""
    window: Literal["hour", "day", "week", "month", "total"]
    """How long the amount has to last. `total` never resets. Weeks begin on Monday."""
    time_zone: str
    usd: float
    """The amount, USD."""
    used: float
    """The share of it that is spent: 0.8 is 80 %; more than 1 after it was made smaller."""
    spent_usd: float
    """USD."""
    reserved_usd: float
    """Held by requests in flight, USD."""
    remaining_usd: float
    """USD."""
    resets_at: str | None
    """When the window ends; null for `total`."""
    runs_out_at: str | None
    """When it is used up at the pace of the last hour; null: not before the window ends, or nothing was spent in that hour."""


class ProviderKey(Record):
    """How one of the provider's keys fares. Nothing of the key itself is ever shown."""
    index: int
    """Its place in the provider's `api_key` list, from 0."""
    state: Literal["ready", "rate_limited", "refused", "out_of_credit"]
    """rate_limited: not used for this deployment for a while; refused, out_of_credit: not used for a while, then one request tries it."""
    until: str | None
    """Until when it is not used; null: it is ready."""


class BudgetUseList(Record):
    _models = {"data": "BudgetUse"}
    object: Literal["list"]
    data: list[BudgetUse]
    """The fullest first."""
    has_more: bool


class ModelRule(Record):
    _models = {"limits": "Limits", "budgets": "BudgetInput"}
    match: list[str]
    limits: Limits
    budgets: list[BudgetInput]


class ModelRuleInput(TypedDict, total=False):
    """Its budgets count what is spent from now on. Other models in `match` make it another rule."""
    match: Required[Sequence[str]]
    """Globs of `<provider>/<model>` or of a model's name. A request for any of them counts."""
    limits: LimitsInput | Mapping[str, Any]
    budgets: Sequence[BudgetInput | Mapping[str, Any]]
    """At most 16, each of another window. All of them hold."""


class LimitsInput(TypedDict, total=False):
    """What may be asked for in a time. null: no limit."""
    rpm: int | None
    tpm: int | None
    max_parallel: int | None


class Team(Record):
    """What the keys of a team may ask for together. A request is held against its key and its team."""
    _models = {"limits": "Limits", "budgets": "Budget", "model_rules": "ModelRule", "per_end_user": "ScopeTemplate", "per_session": "ScopeTemplate", "cache": "CacheRules"}
    object: Literal["team"]
    team: str
    """Its name."""
    limits: Limits
    budgets: list[Budget]
    model_rules: list[ModelRule] | None
    """Limits and budgets of some models. Left out: none."""
    per_end_user: ScopeTemplate | None
    per_session: ScopeTemplate | None
    cache: CacheRules | None
    keys: int
    """Keys that name it and are not revoked."""
    updated_at: str | None
    """When its limits and budgets were set; null: they never were, and only keys name it."""


class ScopeTemplate(Record):
    _models = {"limits": "Limits", "budgets": "BudgetInput", "model_rules": "ModelRule"}
    limits: Limits
    budgets: list[BudgetInput]
    model_rules: list[ModelRule]


class PutTeam(TypedDict, total=False):
    """What is left out is no limit, or no budget. `model_rules`, `per_end_user` and `per_session` stay as they are when they are left out; null, or an empty list, removes them."""
    limits: LimitsInput | Mapping[str, Any]
    budgets: Sequence[BudgetInput | Mapping[str, Any]]
    """At most 16, each of another window. All of them hold."""
    budget_usd: float
    """Short for one budget of window `total`, USD."""
    model_rules: Sequence[ModelRuleInput | Mapping[str, Any]] | None
    per_end_user: ScopeTemplateInput | Mapping[str, Any] | None
    """Limits and budgets of each end user that has no record of its own."""
    per_session: ScopeTemplateInput | Mapping[str, Any] | None
    """Limits and budgets of each session, which `X-Gateway-Session-Id` names."""
    cache: CacheRules | Mapping[str, Any] | None


class ScopeTemplateInput(TypedDict, total=False):
    """They hold from the first request on. Nothing has to be created for an end user or session."""
    limits: LimitsInput | Mapping[str, Any]
    budgets: Sequence[BudgetInput | Mapping[str, Any]]
    """At most 16, each of another window. All of them hold."""
    model_rules: Sequence[ModelRuleInput | Mapping[str, Any]]
    """At most 8, each for other models. All of them hold."""


class TeamPage(Record):
    _models = {"data": "Team"}
    object: Literal["list"]
    data: list[Team]
    """By name."""
    has_more: bool
    next: str | None
    """What to give as `after` for the next page; null: this was the last."""


class IssuedKey(Record):
    """A virtual key and, this once, its secret."""
    _models = {"limits": "Limits", "budgets": "Budget", "model_rules": "ModelRule", "per_end_user": "ScopeTemplate", "per_session": "ScopeTemplate", "cache": "CacheRules", "end_user": "EndUserSource", "require": "KeyRequirement", "imported_secret": "ImportedKeySecret"}
    id: str
    """`key_` and the public part of the secret."""
    object: Literal["key"]
    name: str | None
    team: str | None
    models: list[str]
    """Names or globs of the models it may use. Empty: all."""
    limits: Limits
    budgets: list[Budget]
    on_unknown_price: Literal["deny", "allow"]
    """Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted."""
    unknown_fields: Literal["remove", "pass"]
    """What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove."""
    model_rules: list[ModelRule] | None
    """Limits and budgets of some models. Left out: none."""
    per_end_user: ScopeTemplate | None
    per_session: ScopeTemplate | None
    cache: CacheRules | None
    end_user: EndUserSource | None
    require: KeyRequirement
    allow_from: list[str]
    """Addresses and networks (CIDR) that it may be used from. Empty: any."""
    kind: Literal["service", "personal", "workload"]
    """`service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT."""
    owner: str | None
    """The person of a personal key, `user_…`; null for other keys."""
    rule: str | None
    """Of a workload's key: the rule that made it."""
    subject: str | None
    """Of a workload's key: whose it is."""
    created_by: str | None
    """The id of the person or service token that made it; null: the master key or a command."""
    status: Literal["active", "disabled", "suspended", "expired", "revoked"]
    tags: list[str]
    metadata: dict[str, Any]
    created_at: str
    """RFC 3339 in UTC."""
    updated_at: str
    """RFC 3339 in UTC."""
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    """Exact to a minute; null: never."""
    imported_secret: ImportedKeySecret | None
    warnings: list[str] | None
    """What was taken and may be a slip, such as a model that there is not. Left out: nothing."""
    key: str
    """The secret. It is shown this once and can't be read again."""


class ImportedKeySecret(Record):
    """A secret of another gateway (`sk-…`) opens this key, as it was imported with it. Left out: only one of this gateway does."""
    from_: Literal["litellm"]
    valid_until: str | None
    """Until when it works; null: until it is rotated."""


class KeyRequirement(Record):
    """Tags that every deployment must have that serves the key. No region: any."""
    region: list[str]
    zdr: bool


class EndUserSource(Record):
    from_: list[Literal["header", "field"]] | None
    """Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header."""
    required: bool | None
    """Refuse requests without an end user. Default: false."""
    fixed: str | None
    """Every request of the key is of this end user. No header and no field is read. Default: null."""


class KeyPage(Record):
    _models = {"data": "Key"}
    object: Literal["list"]
    data: list[Key]
    """Newest first."""
    has_more: bool
    next: str | None
    """What to give as `after` for the next page; null: this was the last."""


class Key(Record):
    """A virtual key, without its secret."""
    _models = {"limits": "Limits", "budgets": "Budget", "model_rules": "ModelRule", "per_end_user": "ScopeTemplate", "per_session": "ScopeTemplate", "cache": "CacheRules", "end_user": "EndUserSource", "require": "KeyRequirement", "imported_secret": "ImportedKeySecret"}
    id: str
    """`key_` and the public part of the secret."""
    object: Literal["key"]
    name: str | None
    team: str | None
    models: list[str]
    """Names or globs of the models it may use. Empty: all."""
    limits: Limits
    budgets: list[Budget]
    on_unknown_price: Literal["deny", "allow"]
    """Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted."""
    unknown_fields: Literal["remove", "pass"]
    """What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove."""
    model_rules: list[ModelRule] | None
    """Limits and budgets of some models. Left out: none."""
    per_end_user: ScopeTemplate | None
    per_session: ScopeTemplate | None
    cache: CacheRules | None
    end_user: EndUserSource | None
    require: KeyRequirement
    allow_from: list[str]
    """Addresses and networks (CIDR) that it may be used from. Empty: any."""
    kind: Literal["service", "personal", "workload"]
    """`service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT."""
    owner: str | None
    """The person of a personal key, `user_…`; null for other keys."""
    rule: str | None
    """Of a workload's key: the rule that made it."""
    subject: str | None
    """Of a workload's key: whose it is."""
    created_by: str | None
    """The id of the person or service token that made it; null: the master key or a command."""
    status: Literal["active", "disabled", "suspended", "expired", "revoked"]
    tags: list[str]
    metadata: dict[str, Any]
    created_at: str
    """RFC 3339 in UTC."""
    updated_at: str
    """RFC 3339 in UTC."""
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    """Exact to a minute; null: never."""
    imported_secret: ImportedKeySecret | None
    warnings: list[str] | None
    """What was taken and may be a slip, such as a model that there is not. Left out: nothing."""


class RotateKey(TypedDict, total=False):
    grace_seconds: int
    """How long the old secret works beside the new one, seconds. Default: 0."""


class UpdateKey(TypedDict, total=False):
    """A JSON merge patch (RFC 7396): what is left out stays as it is, null goes back to the default. A key that gets its first budget denies models without a price, unless `on_unknown_price` is given too."""
    name: str | None
    team: str | None
    models: Sequence[str] | None
    limits: LimitsInput | Mapping[str, Any] | None
    """Only the limits named change; null: no limits."""
    budgets: Sequence[BudgetInput | Mapping[str, Any]] | None
    budget_usd: float | None
    expires_at: str | None
    """From when on the key is refused; null: never."""
    tags: Sequence[str] | None
    metadata: Mapping[str, Any] | None
    """Merged into what is there; a member that is null is removed."""
    on_unknown_price: Literal["deny", "allow"] | None
    unknown_fields: Literal["remove", "pass"] | None
    model_rules: Sequence[ModelRuleInput | Mapping[str, Any]] | None
    per_end_user: ScopeTemplateInput | Mapping[str, Any] | None
    """Limits and budgets of each end user that has no record of its own."""
    per_session: ScopeTemplateInput | Mapping[str, Any] | None
    """Limits and budgets of each session, which `X-Gateway-Session-Id` names."""
    cache: CacheRules | Mapping[str, Any] | None
    end_user: EndUserSourceInput | Mapping[str, Any] | None
    require: KeyRequirementInput | Mapping[str, Any] | None
    allow_from: Sequence[str] | None
    disabled: bool | None
    """A disabled key is refused until it is enabled again."""


class KeyRequirementInput(TypedDict, total=False):
    """Tags that every deployment must have that serves the key."""
    region: Sequence[str]
    """The region of every deployment that serves the key must be one of these. Empty: any."""
    zdr: bool
    """Only deployments with zero data retention serve the key."""


class EndUserSourceInput(TypedDict, total=False):
    from_: Sequence[Literal["header", "field"]]
    """Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header."""
    required: bool
    """Refuse requests without an end user. Default: false."""
    fixed: str | None
    """Every request of the key is of this end user. No header and no field is read. Default: null."""


class CreateKey(TypedDict, total=False):
    """What a new key may and may not do. Everything has a default."""
    name: str | None
    team: str | None
    models: Sequence[str]
    """Names or globs of the models the key may use. Empty: all."""
    limits: LimitsInput | Mapping[str, Any]
    budgets: Sequence[BudgetInput | Mapping[str, Any]]
    """At most 16, each of another window. All of them hold."""
    budget_usd: float
    """Short for one budget of window `total`, USD."""
    expires_at: str | None
    """From when on the key is refused; null: never."""
    tags: Sequence[str]
    """Labels that the key's spend is counted under."""
    metadata: Mapping[str, Any]
    """Anything else worth keeping with the key, up to 8192 characters of JSON."""
    on_unknown_price: Literal["deny", "allow"]
    """Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted."""
    unknown_fields: Literal["remove", "pass"]
    """What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove."""
    model_rules: Sequence[ModelRuleInput | Mapping[str, Any]] | None
    per_end_user: ScopeTemplateInput | Mapping[str, Any] | None
    """Limits and budgets of each end user that has no record of its own."""
    per_session: ScopeTemplateInput | Mapping[str, Any] | None
    """Limits and budgets of each session, which `X-Gateway-Session-Id` names."""
    cache: CacheRules | Mapping[str, Any] | None
    end_user: EndUserSourceInput | Mapping[str, Any] | None
    require: KeyRequirementInput | Mapping[str, Any] | None
    allow_from: Sequence[str] | None


class OwnKeyRemaining(Record):
    rpm: float | None
    """Requests that would be admitted now; null: no limit."""
    tpm: float | None
    """Tokens that would be admitted now; null: no limit."""


class OwnKey(Record):
    """The limits, budgets and use of the calling key."""
    _models = {"limits": "Limits", "remaining": "OwnKeyRemaining", "spend": "KeySpend", "budgets": "Budget", "team_budgets": "Budget", "scopes": "OwnScope"}
    object: Literal["key"]
    id: str
    """`key_` and the public part of the secret."""
    name: str | None
    team: str | None
    models: list[str]
    """Names or globs of the models it may use. Empty: all."""
    status: Literal["active", "disabled", "suspended", "expired", "revoked"]
    limits: Limits
    remaining: OwnKeyRemaining
    spend: KeySpend
    budgets: list[Budget]
    team_budgets: list[Budget]
    """Those of its team, which its requests are held against too."""
    scopes: list[OwnScope] | None
    """What else requests with the headers `X-Gateway-End-User` and `X-Gateway-Session-Id` of this one are held against, if there is any."""
    tags: list[str]
    expires_at: str | None


class KeySpend(Record):
    """What is booked. Requests in flight are not in it: a budget's `reserved_usd` has those."""
    hour_usd: float
    """Spent in the present hour, USD."""
    day_usd: float
    """Spent today, USD."""
    week_usd: float
    """Spent in the present week, which began on Monday, USD."""
    month_usd: float
    """Spent in the present month, USD."""
    total_usd: float
    """Spent in all, USD."""
    time_zone: str
    """IANA name: where hour, day, week and month began."""


class GetOwnKeyQuery(TypedDict, total=False):
    tz: str
    """IANA name of the time zone of `spend`. Default: that of the key's first budget, else UTC."""


class ListKeysQuery(TypedDict, total=False):
    limit: int
    """Keys per page. Default: 100."""
    after: str
    """The `next` of the page before."""
    team: str
    """Only keys of this team."""
    status: Literal["active", "disabled", "suspended", "expired", "revoked"]
    """Only keys of this status."""
    owner: str
    """Only personal keys of this person, `user_…`."""
    unused_since: str
    """Only keys whose last use, or else their creation, was before."""
    expires_before: str
    """Only keys that expire before."""
    q: str
    """Only keys whose id or name holds this, in upper or lower case."""


class ListTeamsQuery(TypedDict, total=False):
    limit: int
    """Teams per page. Default: 100."""
    after: str
    """The `next` of the page before."""
    q: str
    """Only teams whose name holds this, in upper or lower case."""


class DeleteTeamQuery(TypedDict, total=False):
    force: bool
    """Delete it though keys name it. Default: false."""


class ListBudgetsQuery(TypedDict, total=False):
    min_used: float
    """Only budgets of which this share is spent. Default: 0."""
    scope: Literal["key", "team", "end_user"]
    """Only budgets of keys, or of teams. `end_user`: of end users with a request in the last ten minutes, as far as the gateway that answers had it. Default: keys and teams."""
    limit: int
    """Budgets. Default: 100."""
