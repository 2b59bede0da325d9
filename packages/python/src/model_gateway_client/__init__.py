"""The Model Gateway's client: every call tells which deployment served it, why, and what it cost."""

from ._async.client import AsyncGateway
from ._async.pages import AsyncPages
from ._async.stream import AsyncStream
from ._sync.client import Gateway
from ._sync.pages import Pages
from ._sync.stream import Stream
from .decision import Decision
from .errors import (
    AuthenticationError,
    BadRequestError,
    BudgetExceededError,
    ConfigurationError,
    GatewayConnectionError,
    GatewayError,
    GatewayTimeoutError,
    InvalidAnswerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    StreamInterruptedError,
    UpstreamError,
)
from .media import BytesAnswer
from .models import Answer, Event, RawResponse, Record
from .paging import Page
from .parsing import ParsedChatCompletion
from .settings import CacheOptions, CallOptions
from .uploads import Upload
from .version import VERSION as __version__

__all__ = [
    "Answer",
    "AsyncGateway",
    "AsyncPages",
    "AsyncStream",
    "AuthenticationError",
    "BadRequestError",
    "BudgetExceededError",
    "BytesAnswer",
    "CacheOptions",
    "CallOptions",
    "ConfigurationError",
    "Decision",
    "Event",
    "Gateway",
    "GatewayConnectionError",
    "GatewayError",
    "GatewayTimeoutError",
    "InvalidAnswerError",
    "NotFoundError",
    "Page",
    "Pages",
    "ParsedChatCompletion",
    "PermissionDeniedError",
    "RateLimitError",
    "RawResponse",
    "Record",
    "ServerError",
    "Stream",
    "StreamInterruptedError",
    "Upload",
    "UpstreamError",
    "__version__",
]
