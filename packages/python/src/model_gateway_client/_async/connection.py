"""Requests to the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from ..decision import decision_of_body, decision_of_headers
from ..error_answer import endless_answer, error_of_answer, invalid_answer, parsed
from ..errors import GatewayError
from ..failures import MOST_OF_ANSWER, MOST_OF_ERROR, clean, explain
from ..models import Answer, RawResponse, Record
from ..outgoing import Outgoing, json_of, key_for, query_of, request_headers, retries_of, timeout_of
from ..retry import pause_before
from ..uploads import Form
from .io import sleep

if TYPE_CHECKING:
    from ..settings import Settings

A = TypeVar("A", bound=Answer)
R = TypeVar("R", bound=Record)


class AsyncConnection:
    """Sends, tries again, and reads whole answers."""

    def __init__(self, settings: Settings, client: httpx.AsyncClient | None) -> None:
        self.settings = settings
        self._is_own = client is None
        self._client = client if client is not None else httpx.AsyncClient()

    async def close(self) -> None:
        if self._is_own:
            await self._client.aclose()

    async def open(self, outgoing: Outgoing) -> httpx.Response:
        """A success whose body is still to come, after as many attempts as it takes."""
        form = None if outgoing.files is None else Form(dict(outgoing.body or {}), outgoing.files)
        try:
            return await self._attempts(outgoing, form)
        finally:
            if form is not None:
                form.close()

    async def _attempts(self, outgoing: Outgoing, form: Form | None) -> httpx.Response:
        retries = retries_of(self.settings, outgoing.options)
        timeout = timeout_of(self.settings, outgoing.options)
        url = self.settings.origin + outgoing.path + query_of(outgoing.query)
        headers = httpx.Headers(request_headers(self.settings, outgoing))
        headers["authorization"] = f"Bearer {key_for(self.settings, outgoing.path).reveal()}"
        content = None
        if form is None and outgoing.body is not None:
            extra = outgoing.options.extra_body
            content = json_of({**outgoing.body, **extra} if extra else outgoing.body)
        failures = 0
        while True:
            try:
                request = self._client.build_request(
                    outgoing.method,
                    url,
                    headers=headers,
                    content=content,
                    data=None if form is None else form.data,
                    files=None if form is None else form.files,
                    timeout=timeout,
                )
                return await self._attempt(request, timeout)
            except GatewayError as error:
                pause = pause_before(error, failures, outgoing.method == "GET") if failures < retries else None
                if pause is None:
                    raise
            failures += 1
            await sleep(pause)

    async def _attempt(self, request: httpx.Request, timeout: float | None) -> httpx.Response:
        try:
            response = await self._client.send(request, stream=True, follow_redirects=False)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise explain(self.settings, error, timeout) from error
        if response.is_success:
            return response
        text = await self._beginning(response)
        raise error_of_answer(response.status_code, response.headers, text, self.settings.origin)

    async def _beginning(self, response: httpx.Response) -> str:
        """Of an error, even of one that breaks off."""
        content = b""
        try:
            async for piece in response.aiter_bytes():
                content += piece[:MOST_OF_ERROR]
                if len(content) >= MOST_OF_ERROR:
                    break
        except (httpx.HTTPError, httpx.StreamError):
            pass
        finally:
            await response.aclose()
        return clean(self.settings, content.decode(errors="replace"))

    async def content(self, response: httpx.Response, outgoing: Outgoing) -> bytes:
        """The whole answer."""
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in response.aiter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > MOST_OF_ANSWER:
                    raise endless_answer(response.status_code, response.headers, self.settings.origin)
            return b"".join(pieces)
        except (httpx.HTTPError, httpx.StreamError) as error:
            timeout = timeout_of(self.settings, outgoing.options)
            raise explain(self.settings, error, timeout, response) from error
        finally:
            await response.aclose()

    async def json(self, response: httpx.Response, outgoing: Outgoing, holds: str) -> dict[str, Any]:
        """The whole answer, which must be a JSON object that has the field `holds`."""
        content = await self.content(response, outgoing)
        body = parsed(content)
        if isinstance(body, dict) and holds in body:
            return body
        raise self.invalid(response, content)

    def invalid(self, response: httpx.Response, content: bytes) -> GatewayError:
        text = clean(self.settings, content.decode(errors="replace"))
        return invalid_answer(response.status_code, response.headers, text, self.settings.origin)

    async def answer(self, kind: type[A], outgoing: Outgoing, holds: str) -> A:
        """A model's, with the decision."""
        response = await self.open(outgoing)
        body = await self.json(response, outgoing, holds)
        return self.answered(kind, body, response)

    def answered(self, kind: type[A], body: dict[str, Any], response: httpx.Response) -> A:
        gateway = body.pop("gateway", None)
        decision = decision_of_body(gateway, response.headers) if gateway else decision_of_headers(response.headers)
        return kind(body, decision, RawResponse(response.status_code, response.headers))

    async def record(self, kind: type[R], outgoing: Outgoing, holds: str) -> R:
        """One of the gateway's own objects."""
        return kind(await self.json(await self.open(outgoing), outgoing, holds))
