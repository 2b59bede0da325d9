"""Where the gateway is and with which keys: from the options, else from the environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict
from urllib.parse import quote, urlsplit

from .errors import ConfigurationError
from .version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_TIMEOUT = 600.0
DEFAULT_RETRIES = 2


class CacheOptions(TypedDict, total=False):
    """How one call uses the gateway's response cache."""

    #: Use the cache where its mode is `on_request`.
    on: bool
    #: Call the provider, and store the response.
    no_cache: bool
    #: Neither look up nor store.
    no_store: bool
    #: Accept responses of the cache of at most this age, in whole seconds.
    max_age: int


@dataclass(frozen=True)
class CallOptions:
    """What may be asked for one call."""

    #: Calls of one session go to the same deployment while it can take them.
    session: str | None = None
    #: The id of the end user that the call is for: its limits and budgets hold too.
    end_user: str | None = None
    #: Guardrail policies for this call, in addition to those of the key.
    guardrails: Sequence[str] = ()
    #: Labels to count the spend under.
    tags: Sequence[str] = ()
    #: Moves the cut points of `auto`.
    prefer: Literal["cost", "quality"] | None = None
    #: A parameter that the provider can't take is an error instead of being left out.
    strict: bool = False
    #: One deployment only.
    no_fallback: bool = False
    #: `buffer`: hold a stream until it is whole, so that every fault can be tried elsewhere.
    recovery: Literal["cut", "buffer"] | None = None
    #: The most of this call's content that the gateway may log. It never raises the level that the operator set.
    content: Literal["none", "metadata"] | None = None
    cache: CacheOptions | None = None
    #: The same request with the same key gets the first answer again: the gateway keeps it for a day.
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Seconds, instead of the client's.
    timeout: float | None = None
    #: Instead of the client's.
    max_retries: int | None = None
    #: Further fields of the request's body.
    extra_body: Mapping[str, Any] = field(default_factory=dict)


class Secret:
    """A key that no repr, log or trace shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "[key]"

    def __reduce__(self) -> str:
        raise TypeError("A client holds keys: it can't be pickled.")

    def reveal(self) -> str:
        return self._value


@dataclass(frozen=True)
class Settings:
    """Everything a client is made of."""

    #: Without `/v1` and without a slash at its end.
    origin: str
    api_key: Secret | None
    master_key: Secret | None
    #: None: no limit.
    timeout: float | None
    max_retries: int
    headers: Mapping[str, str] = field(repr=False)


def read_settings(
    *,
    base_url: str | None,
    api_key: str | None,
    master_key: str | None,
    timeout: float,
    max_retries: int,
    headers: Mapping[str, str] | None,
) -> Settings:
    """Raises a `ConfigurationError` that names the option and the variable."""
    own = _read_key(api_key, "api_key", "GATEWAY_API_KEY")
    master = _read_key(master_key, "master_key", "GATEWAY_MASTER_KEY")
    origin = _read_base_url(base_url if base_url is not None else os.environ.get("GATEWAY_BASE_URL"))
    if own is None and master is None:
        raise no_key("key", "api_key", "GATEWAY_API_KEY")
    return Settings(
        origin=origin,
        api_key=own,
        master_key=master,
        timeout=read_timeout(timeout),
        max_retries=int(read_number(max_retries, "max_retries")),
        headers={"user-agent": f"model-gateway-client-python/{VERSION}", **lower_case(headers)},
    )


def headers_of(options: CallOptions) -> dict[str, str]:
    """The headers that say what is asked of the gateway for one call."""
    every = lower_case(options.headers)
    if options.session is not None:
        every["x-gateway-session-id"] = options.session
    if options.end_user is not None:
        every["x-gateway-end-user"] = _encoded(options.end_user)
    if options.guardrails:
        every["x-gateway-guardrails"] = _listed(options.guardrails)
    if options.tags:
        every["x-gateway-tags"] = _listed(options.tags)
    if options.prefer is not None:
        every["x-gateway-route-prefer"] = options.prefer
    if options.strict:
        every["x-gateway-strict"] = "1"
    if options.no_fallback:
        every["x-gateway-no-fallback"] = "1"
    if options.recovery is not None:
        every["x-gateway-stream-recovery"] = options.recovery
    if options.content is not None:
        every["x-gateway-content"] = options.content
    every.update(_cache_headers(options.cache or {}))
    if options.idempotency_key is not None:
        every["idempotency-key"] = options.idempotency_key
    return every


def _cache_headers(cache: CacheOptions) -> dict[str, str]:
    control = []
    if cache.get("no_cache"):
        control.append("no-cache")
    if cache.get("no_store"):
        control.append("no-store")
    if "max_age" in cache:
        control.append(f"max-age={cache['max_age']}")
    return {
        **({"x-gateway-cache": "on"} if cache.get("on") else {}),
        **({"cache-control": ", ".join(control)} if control else {}),
    }


def _encoded(end_user: str) -> str:
    try:
        return quote(end_user, safe="")
    except UnicodeEncodeError:
        raise ConfigurationError("`end_user` must be text in Unicode: it contains half of a surrogate pair.") from None


def _listed(names: Sequence[str]) -> str:
    return names if isinstance(names, str) else ",".join(names)


def lower_case(headers: Mapping[str, str] | None) -> dict[str, str]:
    """A header that is there twice, in two spellings, would be sent twice."""
    return {name.lower(): value for name, value in (headers or {}).items()}


def no_key(what: str, option: str, variable: str) -> ConfigurationError:
    return ConfigurationError(
        f"The gateway's {what} is missing: pass `{option}`, or set the environment variable {variable}."
    )


def read_timeout(value: float) -> float | None:
    """0: no limit."""
    return read_number(value, "timeout") or None


def read_number(value: float, option: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return value
    raise ConfigurationError(f"`{option}` must be a number from 0 on.")


def _read_key(given: str | None, option: str, variable: str) -> Secret | None:
    key = (given if given is not None else os.environ.get(variable, "")).strip()
    if key == "":
        return None
    if re.fullmatch(r"[\x21-\x7e]+", key):
        return Secret(key)
    raise ConfigurationError(
        f"The gateway's key (`{option}` or {variable}) holds characters that no key has:"
        " a space, a line break or a letter outside ASCII."
    )


def _read_base_url(value: str | None) -> str:
    text = str(value or "").strip()
    if text == "":
        raise ConfigurationError(
            "The gateway's address is missing: pass `base_url`, or set the environment variable GATEWAY_BASE_URL,"
            " such as http://127.0.0.1:4100."
        )
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
    except ValueError:
        raise _bad_url("be a URL") from None
    if url.scheme not in ("http", "https") or not host:
        raise _bad_url("begin with http:// or https://")
    if url.username is not None or url.password is not None:
        raise _bad_url("hold no user name and no password")
    if url.query or url.fragment:
        raise _bad_url("have no query and no fragment")
    path = re.sub(r"/{2,}", "/", url.path).rstrip("/")
    return f"{url.scheme}://{url.netloc}{path.removesuffix('/v1')}"


def _bad_url(rule: str) -> ConfigurationError:
    """Says nothing of the value: it may hold a password."""
    return ConfigurationError(
        f"The gateway's address (`base_url` or GATEWAY_BASE_URL) must {rule}, such as http://127.0.0.1:4100."
    )
