"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing_extensions import Required
    from .keys import Budget, Limits


class ErrorBodyErrorGuardrail(Record):
    """With the code `guardrail_denied`: the check, and the rule that found a match."""
    check: str
    rule: str


class ErrorBodyError(Record):
    _models = {"guardrail": "ErrorBodyErrorGuardrail"}
    type: str
    """What sort of error it is, one of: invalid_request_error, authentication_error, permission_error, rate_limit_exceeded, insufficient_quota, upstream_error, server_error. Where the provider found fault with the request, it is the provider's own."""
    message: str
    """For people: what is wrong and what would be right."""
    param: str | None
    """The field of the request that is wrong, as a path, e.g. `budgets[0].usd`."""
    code: str | None
    """For programs: the exact reason, e.g. `invalid_api_key`, `model_not_found`, `invalid_field`."""
    kind: Literal["rpm", "tpm", "parallel", "feedback", "budget", "budget_reserved", "upstream", "auth_failures"] | None
    """The limit that was hit: requests per minute, tokens per minute, requests at once, scores for answers per minute, a budget that is used up, a budget held by requests in flight, the provider's own, or wrong credentials from one address."""
    retry_after_seconds: int | None
    """Seconds to wait, at least 1. Equals the `Retry-After` header. Who waits that long is admitted."""
    limit: float | None
    """The limit: requests, tokens, or USD where it is a budget."""
    used: float | None
    """How much of the limit is in use, in the same unit as `limit`."""
    scope: Literal["key", "team", "end_user", "session", "member"] | None
    """What the limit applies to: the key, its team, the end user, the session, or all personal keys of a person in the team (`member`)."""
    subject: str | None
    """The id of that key, end user, session or person, or the name of the team. Left out: the limit is the key's or team's own."""
    models: list[str] | None
    """The models of the rule that the limit is in. Left out: it is no model rule's."""
    guardrail: ErrorBodyErrorGuardrail | None
    """With the code `guardrail_denied`: the check, and the rule that found a match."""
    resets_at: str | None
    """When there is room again, RFC 3339 in UTC; null for a budget that never resets."""


class ErrorBody(Record):
    """Every error answer has this body."""
    _models = {"error": "ErrorBodyError"}
    error: ErrorBodyError


class ChatCompletionChunkChoiceDeltaToolCallFunction(Record):
    name: str | None
    arguments: str | None


class ChatCompletionChunkChoiceDeltaToolCall(Record):
    _models = {"function": "ChatCompletionChunkChoiceDeltaToolCallFunction"}
    index: int
    """Which call of the message this is a piece of."""
    id: str | None
    type: str | None
    function: ChatCompletionChunkChoiceDeltaToolCallFunction | None


class ChatCompletionChunkChoiceDelta(Record):
    _models = {"tool_calls": "ChatCompletionChunkChoiceDeltaToolCall"}
    role: str | None
    content: str | None
    refusal: str | None
    reasoning_content: str | None
    """What the model thought aloud, where it does."""
    tool_calls: list[ChatCompletionChunkChoiceDeltaToolCall] | None


class ChatCompletionChunkChoice(Record):
    _models = {"delta": "ChatCompletionChunkChoiceDelta"}
    index: int
    delta: ChatCompletionChunkChoiceDelta
    finish_reason: str | None


class ChatCompletionChunk(Record):
    """The last chunk that carries data also carries `gateway`, with the exact cost."""
    _models = {"choices": "ChatCompletionChunkChoice", "usage": "Usage", "gateway": "GatewayInfo"}
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChatCompletionChunkChoice]
    usage: Usage | None
    gateway: GatewayInfo | None


class GatewayInfoGuardrail(Record):
    """The strictest thing that guardrails did. Left out: nothing."""
    check: str
    action: Literal["flag", "mask", "deny"]


class GatewayInfo(Record):
    _models = {"guardrail": "GatewayInfoGuardrail"}
    decision: str
    """`<provider>/<model>` that served the call."""
    deployment: str
    """The id of the deployment."""
    bucket: str
    """The bucket of `auto`; `none` when the caller named the model."""
    score: float
    """The classifier's score, 0 to 1."""
    cost_usd: float | None
    """The exact cost of all attempts, USD, without those of unknown price (see the header `X-Gateway-Cost-Known`); null: no price is known."""
    retries: int
    """Attempts after the first."""
    receipt_id: str
    guardrail: GatewayInfoGuardrail | None
    """The strictest thing that guardrails did. Left out: nothing."""


class Usage(Record):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cost: float | None
    """USD, exact; null: nobody knows the price."""


class GuardrailVerdict(Record):
    check: str
    stage: Literal["request", "response"]
    action: Literal["pass", "flag", "mask", "error_allowed", "error_denied", "deny"]
    """`pass`: it ran and found nothing. `error_allowed`, `error_denied`: it gave no verdict, which let the texts pass or denied them."""
    rules: dict[str, Any]
    """How many matches each rule found. It never holds what was found."""
    ms: int | None
    """Milliseconds that the caller waited for a webhook. Left out: it is no webhook."""


class RefusedBy(Record):
    """With its figures of that moment."""
    limit: Literal["budget"]
    scope: Literal["key", "team", "end_user", "session", "member"]
    """Whose budget it is."""
    subject: str | None
    """The id of that key, end user or session, or the name of the team."""
    models: list[str] | None
    """The models of the rule that the budget is in. Left out: it is no model rule's."""
    window: str
    """The time it is for."""
    limit_usd: float
    """The amount, USD."""
    used_usd: float
    """Spent; where requests in flight were the reason, held by them as well."""
    needed_usd: float
    """What this request could have cost at most, USD."""


class Refusal(Record):
    """The request reached no deployment, and nothing was reserved for it."""
    method: str
    http_status: int
    code: str
    """The `code` of the error that the caller got."""
    message: str
    """Its message, 500 characters at most. It may quote the request."""
    limit: Literal["rpm", "tpm", "parallel"] | None
    """The limit of the key or its team."""
    count: int
    """Requests that this receipt stands for. After ten receipts for one key and code in a minute, or a thousand in all, the others of that minute are one receipt, with the id of the first of them."""


class ProviderError(Record):
    """The provider's words, 500 characters at most, credentials struck out; where it sent no HTTP status, the gateway's. They may quote the request."""
    message: str
    code: str | None
    type: str | None


class Considered(Record):
    """A deployment, and what became of it."""
    deployment: str
    fate: Literal["chosen", "spare", "unhealthy", "filtered", "lower_bucket", "not_needed"]
    """`chosen`: it was to be tried first. `spare`: if those before it failed. `unhealthy`: last, since it was not ready. `filtered`: it could not serve this request. `lower_bucket`: it could, and its bucket is below the prompt's. `not_needed`: it could, and was not to be tried. What was really asked stands in `attempts`."""
    why: str | None
    """In words, where there is more to say."""


class CacheRules(TypedDict, total=False):
    """What is left out holds as the team, then the configuration file says."""
    mode: Literal["off", "on_request", "on"]
    """`on_request`: only requests with `X-Gateway-Cache: on` use the cache."""
    ttl_seconds: int
    """How long a response is used, seconds: at most 30 days."""
    namespace: Literal["key", "team"]
    """`team`: the keys of one team share their responses."""
    tool_calls: bool
    """Whether responses that call the client's functions are stored."""


class OwnScope(Record):
    """An end user, a session, the personal keys of a person or a model rule, with what is left of its budgets."""
    _models = {"limits": "Limits", "budgets": "Budget"}
    scope: Literal["key", "team", "end_user", "session", "member"]
    subject: str
    """The id of the key, end user, session or person, or the name of the team."""
    models: list[str] | None
    """Of a model rule: the models that it is for."""
    limits: Limits
    budgets: list[Budget]


class ProviderChoiceMaxPrice(TypedDict, total=False):
    prompt: float | None
    """USD per million tokens."""
    completion: float | None
    """USD per million tokens."""
    audio: float | None
    """USD per million tokens."""
    request: float | None
    """USD."""
    image: float | None
    """USD."""


class ProviderChoice(TypedDict, total=False):
    order: Sequence[str] | None
    """These providers come first, in this order: names, vendors or the IDs of deployments."""
    only: Sequence[str] | None
    """Only these providers are called."""
    ignore: Sequence[str] | None
    """These providers are not called."""
    allow_fallbacks: bool | None
    """`false`: only the providers in `order` are called; without `order`, only the first deployment of each model."""
    sort: Literal["price", "throughput", "latency"] | None
    """Replaces the configured order and the session's deployment."""
    max_price: ProviderChoiceMaxPrice | Mapping[str, Any] | None
    """The most that a deployment may charge. Those without a known price are excluded."""
    require_parameters: bool | None
    """`true`: a deployment that would drop a parameter is not called."""
    zdr: bool | None
    """`true`: only deployments with `zdr: true` are called."""


class CompletionChoice(Record):
    index: int
    text: str
    finish_reason: str | None


class Completion(Answer):
    _models = {"choices": "CompletionChoice", "usage": "Usage"}
    id: str
    """Unique per answer."""
    object: Literal["text_completion"]
    created: int
    """Seconds since 1970."""
    model: str
    choices: list[CompletionChoice]
    usage: Usage | None


class CompletionRequest(TypedDict, total=False):
    """A model that only chats answers one prompt of text. It can't have several prompts, tokens, `echo`, `suffix`, `logprobs`, or more `best_of` than `n`."""
    model: Required[str]
    """As for chat."""
    models: Sequence[str] | None
    """Further models, called in this order after those of `model`."""
    provider: ProviderChoice | Mapping[str, Any] | None
    """Narrows and orders the deployments that may serve."""
    prompt: Required[str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]]
    """A text, a list of texts, the tokens of one text, or a list of those."""
    max_tokens: int | None
    """Output tokens for each answer, at most. Default: 16."""
    n: int | None
    """Answers to each prompt."""
    best_of: int | None
    """Answers to write for each prompt, of which `n` are sent."""
    stream: bool | None
    """Answer with server-sent events."""
    stream_options: Mapping[str, Any] | None
    echo: bool | None
    suffix: str | None
    logprobs: int | None
    temperature: float | None
    top_p: float | None
    stop: str | Sequence[str] | None


class ChatCompletionChoice(Record):
    _models = {"message": "ChatAnswerMessage"}
    index: int
    message: ChatAnswerMessage
    finish_reason: str | None


class ChatCompletion(Answer):
    _models = {"choices": "ChatCompletionChoice", "usage": "Usage"}
    id: str
    """Unique per answer."""
    object: Literal["chat.completion"]
    created: int
    """Seconds since 1970."""
    model: str
    choices: list[ChatCompletionChoice]
    usage: Usage | None


class ChatAnswerMessageToolCallFunction(Record):
    name: str
    arguments: str
    """JSON, as the model wrote it."""


class ChatAnswerMessageToolCall(Record):
    _models = {"function": "ChatAnswerMessageToolCallFunction"}
    id: str
    type: str
    """`function`, or the provider's own."""
    function: ChatAnswerMessageToolCallFunction | None


class ChatAnswerMessage(Record):
    _models = {"tool_calls": "ChatAnswerMessageToolCall"}
    role: str
    """`assistant`."""
    content: str | None
    refusal: str | None
    reasoning_content: str | None
    """What the model thought aloud, where it does."""
    tool_calls: list[ChatAnswerMessageToolCall] | None


class ChatRequest(TypedDict, total=False):
    """The vendor-defined chat request. Fields not described here reach providers of the same protocol untouched."""
    model: Required[str]
    """`auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model."""
    models: Sequence[str] | None
    """Further models, called in this order after those of `model`."""
    provider: ProviderChoice | Mapping[str, Any] | None
    """Narrows and orders the deployments that may serve."""
    messages: Required[Sequence[ChatMessage | Mapping[str, Any]]]
    stream: bool | None
    """Answer with server-sent events."""
    stream_options: Mapping[str, Any] | None
    """`include_usage: true` asks for the usage in a last chunk; the others then have `usage: null`."""
    max_completion_tokens: int | None
    """Output tokens, at most."""
    max_tokens: int | None
    """The older name of `max_completion_tokens`."""
    temperature: float | None
    top_p: float | None
    n: int | None
    """Answers to make."""
    stop: str | Sequence[str] | None
    tools: Sequence[Mapping[str, Any]] | None
    tool_choice: Any
    response_format: Mapping[str, Any] | None


class ChatMessage(TypedDict, total=False):
    role: Required[str]
    """`system`, `developer`, `user`, `assistant` or `tool`."""
    content: str | Sequence[Mapping[str, Any]] | None
    """Text, or parts (text, images, files)."""


class GetResponseQuery(TypedDict, total=False):
    stream: bool
    """Answer with server-sent events."""
    starting_after: int
    """Only events after this number."""
    include: str
    """The vendor's names of further fields. All that was stored is there anyway."""


class ListInputItemsQuery(TypedDict, total=False):
    limit: int
    """20 where it is left out."""
    order: Literal["asc", "desc"]
    """`desc`, the newest first, where it is left out."""
    after: str
    """The last item of the page before."""
    include: str
    """The vendor's names of further fields. All that was stored is there anyway."""
