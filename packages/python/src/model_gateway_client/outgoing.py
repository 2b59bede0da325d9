"""A request as the API's methods describe it, and what is made of it before it is sent."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from .errors import ConfigurationError
from .models import Record
from .settings import CallOptions, Secret, Settings, headers_of, no_key, read_number, read_timeout

if TYPE_CHECKING:
    from collections.abc import Mapping

_NONE = CallOptions()


@dataclass(frozen=True)
class Outgoing:
    """One call."""

    method: str
    #: From the root: `/v1/chat/completions`. Under `/admin` the master key is sent.
    path: str
    query: Mapping[str, Any] | None = None
    #: Sent as JSON.
    body: Mapping[str, Any] | None = None
    options: CallOptions = _NONE
    #: Sends the body as a form: the fields that are files.
    files: frozenset[str] | None = None


#: Option of a call → where it is given. The last one is another package's name.
_OPTIONS = {
    **{field.name: f"{field.name}=…" for field in fields(CallOptions)},
    "extra_headers": "headers=…",
}


def post(path: str, body: Mapping[str, Any] | None, options: CallOptions | None) -> Outgoing:
    checked = None if body is None else request_of(path, body)
    return Outgoing("POST", path, body=checked, options=options or _NONE)


def request_of(path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a request. An option of the call among them is refused: a provider would get it."""
    option = next((name for name in body if name in _OPTIONS), None) if path.startswith("/v1/") else None
    if option is None:
        return body
    raise ConfigurationError(
        f"`{option}` is an option of the call, not a field of the request: options=CallOptions({_OPTIONS[option]})."
    )


def streamed(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a streamed call.

    Token counts come in the last chunk, which has no choices, unless the request says otherwise.
    """
    return {**body, "stream": True, "stream_options": {"include_usage": True, **(body.get("stream_options") or {})}}


def get(path: str, options: CallOptions | None, query: Mapping[str, Any] | None = None) -> Outgoing:
    return Outgoing("GET", path, query=query, options=options or _NONE)


def segment(text: str) -> str:
    """A part of a path; an empty one would ask for something else."""
    if text == "":
        raise ConfigurationError("An id or a name is empty.")
    return quote(text, safe="")


def whole(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body of a call that is answered at once."""
    if body.get("stream"):
        raise ConfigurationError("`stream=True` is a call of its own here: `with ….stream(…) as stream`.")
    return body


def query_of(query: Mapping[str, Any] | None) -> str:
    """`from_` is `from`: the name is a word of the language."""
    pairs = [(name.rstrip("_"), _query_value(value)) for name, value in (query or {}).items() if value is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def _query_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def json_of(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_record).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"The request can't be written as JSON: {error}.") from None


def _record(value: object) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    raise TypeError(f"a {type(value).__name__} is not JSON")


_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_VALUE = re.compile(r"[\t\x20-\x7e]*")


def request_headers(settings: Settings, outgoing: Outgoing) -> dict[str, str]:
    """All but the key's."""
    headers = {"accept": "application/json, text/event-stream, */*"}
    if outgoing.body is not None and outgoing.files is None:
        headers["content-type"] = "application/json"
    headers.update(settings.headers)
    if outgoing.options is not _NONE:
        headers.update(headers_of(outgoing.options))
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise ConfigurationError(f"The header `{name}` has a name or a value that no header can have.")
    return headers


def key_for(settings: Settings, path: str) -> Secret:
    if path.startswith("/admin/"):
        if settings.master_key is None:
            raise no_key("master key", "master_key", "GATEWAY_MASTER_KEY")
        return settings.master_key
    if settings.api_key is None:
        raise no_key("key", "api_key", "GATEWAY_API_KEY")
    return settings.api_key


def retries_of(settings: Settings, options: CallOptions) -> int:
    if options.max_retries is None:
        return settings.max_retries
    return int(read_number(options.max_retries, "max_retries"))


def timeout_of(settings: Settings, options: CallOptions) -> float | None:
    return settings.timeout if options.timeout is None else read_timeout(options.timeout)
