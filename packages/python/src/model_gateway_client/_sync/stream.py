# Made from _async by scripts/unasync.py: change it there.
"""A streamed answer. Whoever leaves early closes the connection: nobody goes on generating, and billing, for nobody."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic

import httpx

from ..collectors import Collector, E, F
from ..decision import Decision, decision_of_body, decision_of_headers
from ..error_answer import fields_of, parsed, plain_fields
from ..errors import ConfigurationError, StreamInterruptedError
from ..failures import clean, explain
from ..models import RawResponse
from ..outgoing import Outgoing, timeout_of
from ..sse import SseParser, TooLargeError
from .io import read_rest

if TYPE_CHECKING:
    from types import TracebackType

    from .connection import Connection


class Stream(Generic[E, F]):
    """`with client.chat.stream(…) as stream: for chunk in stream: …`."""

    def __init__(self, connection: Connection, outgoing: Outgoing, collector: Collector[E, F]) -> None:
        self._connection = connection
        self._outgoing = outgoing
        self._collector = collector
        self._parser = SseParser()
        self._waiting: deque[bytes] = deque()
        self._text: list[str] = []
        self._opened: tuple[httpx.Response, Iterator[bytes]] | None = None
        self._gateway: Decision | None = None
        self._state = "new"
        self._bytes_ended = False

    def __enter__(self) -> Stream[E, F]:
        if self._state != "new":
            raise ConfigurationError("A stream is opened once: ask for another one.")
        response = self._connection.open(self._outgoing)
        self._gateway = decision_of_headers(response.headers)
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            raise self._connection.invalid(response, self._connection.content(response, self._outgoing))
        self._opened = (response, response.iter_bytes().__iter__())
        self._state = "open"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. Harmless when it is over."""
        if self._state == "open":
            self._state = "left"
            self._shut()

    @property
    def gateway(self) -> Decision | None:
        """The decision at once, the exact cost at the end; None where another server answers."""
        self._response()
        return self._gateway

    @property
    def raw(self) -> RawResponse:
        """Status and headers."""
        response = self._response()
        return RawResponse(response.status_code, response.headers)

    @property
    def request_id(self) -> str | None:
        """For the log."""
        request_id: str | None = self._response().headers.get("x-request-id")
        return request_id

    def __iter__(self) -> Stream[E, F]:
        self._response()
        return self

    def __next__(self) -> E:
        event = self._next()
        if event is None:
            raise StopIteration
        return self._collector.event(event[0])

    @property
    def text(self) -> Iterator[str]:
        """The pieces of its text."""
        self._response()
        return self._pieces()

    def _pieces(self) -> Iterator[str]:
        while True:
            event = self._next()
            if event is None:
                return
            if event[1]:
                yield event[1]

    def final(self) -> F:
        """The whole answer, put together: reads what has not been read."""
        self._response()
        while self._next() is not None:
            pass
        result = self._collector.result()
        if self._state == "whole" and result is not None:
            wire = {name: value for name, value in result.items() if name != "gateway"}
            return self._collector.final(wire, self._gateway, self.raw)
        left = self._state == "left"
        raise self._interrupted(
            "The stream was left before its end." if left else "The stream ended without an answer."
        )

    def _response(self) -> httpx.Response:
        if self._opened is None:
            raise ConfigurationError("Open the stream first: `with ….stream(…) as stream`.")
        return self._opened[0]

    def _next(self) -> tuple[dict[str, Any], str | None] | None:
        """The next event and its text; None: the answer is whole, or was left."""
        while self._state == "open":
            if self._waiting:
                data = self._waiting.popleft()
                if data == b"[DONE]":
                    self._end()
                    continue
                event = self._event(data)
                if event is not None:
                    return event
            elif not self._bytes_ended:
                self._fill()
            elif self._collector.is_over():
                self._end()
            else:
                raise self._failed("The stream ended before the answer was whole.")
        return None

    def _fill(self) -> None:
        response, pieces = self._opened or (None, None)
        if response is None or pieces is None:
            return
        try:
            piece = pieces.__next__()
            self._waiting.extend(self._parser.push(piece))
        except StopIteration:
            self._bytes_ended = True
            self._waiting.extend(self._parser.end())
        except TooLargeError as error:
            raise self._failed(f"The stream of {self._connection.settings.origin} broke: {error}.") from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            if self._state != "open":
                return
            timeout = timeout_of(self._connection.settings, self._outgoing.options)
            reason = explain(self._connection.settings, error, timeout, response)
            raise self._failed(reason.message) from error

    def _event(self, data: bytes) -> tuple[dict[str, Any], str | None] | None:
        try:
            return self._known(data)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._failed("An event is not what a stream of this kind has.") from error

    def _known(self, data: bytes) -> tuple[dict[str, Any], str | None] | None:
        value = parsed(data)
        if not isinstance(value, dict):
            said = clean(self._connection.settings, data[:1000].decode(errors="replace"))[:120]
            raise self._failed(f"An event is no JSON: {said}")
        failure = _failure_in(value)
        if failure is not None:
            said = clean(self._connection.settings, json.dumps(failure))
            fields = fields_of(json.loads(said), self._response().status_code, self._response().headers)
            message = fields["message"] or "The stream ended with an error."
            raise self._failed(message, **plain_fields(fields))
        if not self._collector.knows(value):
            return None
        gateway = _gateway_in(value)
        if gateway is not None:
            self._gateway = decision_of_body(gateway, self._response().headers)
        text = self._collector.add(value)
        if text:
            self._text.append(text)
        return value, text

    def _end(self) -> None:
        self._state = "whole"
        self._shut()

    def _failed(self, message: str, **fields: Any) -> StreamInterruptedError:
        self._state = "failed"
        self._shut()
        return self._interrupted(message, **fields)

    def _interrupted(self, message: str, **fields: Any) -> StreamInterruptedError:
        response = self._response()
        known = {"status": response.status_code, "request_id": self.request_id, "headers": response.headers, **fields}
        return StreamInterruptedError(
            message, text="".join(self._text), partial=self._collector.result(), gateway=self._gateway, **known
        )

    def _shut(self) -> None:
        """Lets the connection go: back to its pool when everything has been read, closed otherwise."""
        response, pieces = self._opened or (None, None)
        if response is None or pieces is None:
            return
        if self._state == "whole" and not self._bytes_ended:
            read_rest(pieces, response)
        response.close()


def _failure_in(event: dict[str, Any]) -> dict[str, Any] | None:
    """What an event reports instead of a piece of an answer: in OpenAI's, Anthropic's and Responses' forms."""
    error, kind = event.get("error"), event.get("type")
    if isinstance(error, dict) or (isinstance(error, str) and error != "") or kind == "error":
        return event
    response = event.get("response")
    if kind != "response.failed" or not isinstance(response, dict):
        return None
    failed = response.get("error")
    return {"error": failed if isinstance(failed, dict) else {"message": "The response failed."}}


def _gateway_in(event: dict[str, Any]) -> Any:
    """The last event's decision: at its top, or in the response that it holds."""
    if "gateway" in event:
        return event["gateway"]
    response = event.get("response")
    return response.get("gateway") if isinstance(response, dict) else None
