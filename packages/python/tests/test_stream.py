"""Streams, and their twins."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from model_gateway_client import (
    AsyncGateway,
    ConfigurationError,
    Gateway,
    InvalidAnswerError,
    StreamInterruptedError,
)

HELLO = [{"role": "user", "content": "Hello"}]
Look = Callable[[str], list[dict[str, object]]]


def until(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not look():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


def test_final_reads_what_was_not_read(gateway: Gateway) -> None:
    with gateway.chat.stream(model="demo/mini", messages=HELLO) as stream:
        next(stream)
        final = stream.final()
    whole = gateway.chat.create(model="demo/mini", messages=HELLO)
    assert final.choices[0].message.content == whole.choices[0].message.content
    assert final.gateway is not None
    assert final.gateway.cost_is_final


def test_text_is_the_answers(gateway: Gateway) -> None:
    with gateway.chat.stream(model="demo/mini", messages=HELLO) as stream:
        text = "".join(stream.text)
        assert stream.final().choices[0].message.content == text


def test_the_token_counts_are_at_the_end(gateway: Gateway) -> None:
    complete = gateway.chat.create(model="demo/mini", messages=HELLO)
    with gateway.chat.stream(model="demo/mini", messages=HELLO) as stream:
        assert stream.final().usage == complete.usage
    with gateway.chat.stream(model="demo/mini", messages=HELLO, stream_options={"include_usage": False}) as stream:
        assert stream.final().usage is None
    with gateway.completions.stream(model="demo/mini", prompt="Hello") as older:
        usage = older.final().usage
        assert usage is not None
        assert usage.total_tokens > 0


def test_a_response_has_its_text_in_one_piece(gateway: Gateway) -> None:
    whole = gateway.responses.create(model="demo/mini", input="Hello")
    assert whole.output_text.startswith("Hello! I am “mini”")
    with gateway.responses.stream(model="demo/mini", input="Hello") as stream:
        text = "".join(stream.text)
        final = stream.final()
    assert final.output_text == text
    assert gateway.responses.get(final.id).output_text == text


async def test_text_of_the_twin(async_gateway: AsyncGateway) -> None:
    async with async_gateway, async_gateway.chat.stream(model="demo/mini", messages=HELLO) as stream:
        pieces = [piece async for piece in stream.text]
        assert (await stream.final()).choices[0].message.content == "".join(pieces)


def test_a_stream_is_opened_first_and_once(gateway: Gateway) -> None:
    stream = gateway.chat.stream(model="demo/mini", messages=HELLO)
    with pytest.raises(ConfigurationError, match="with"):
        iter(stream)
    with stream:
        pass
    with pytest.raises(ConfigurationError, match="once"), stream:
        pass
    with pytest.raises(StreamInterruptedError, match="left"):
        stream.final()


def test_an_exception_inside_closes_the_connection(script: Callable[[str], str], seen: Look) -> None:
    url = script("endless-stream")
    client = Gateway(base_url=url, api_key="mgw_scripted")
    with pytest.raises(KeyError), client.chat.stream(model="m", messages=HELLO) as stream:
        next(stream)
        raise KeyError
    until(lambda: seen(url)[0]["closed_early"] is True)


def test_what_had_arrived_is_told(script: Callable[[str], str]) -> None:
    client = Gateway(base_url=script("cut-stream"), api_key="mgw_scripted")
    with pytest.raises(StreamInterruptedError) as raised, client.chat.stream(model="m", messages=HELLO) as stream:
        list(stream)
    error = raised.value
    assert error.text == "Once"
    assert error.partial is not None
    assert error.partial["choices"][0]["message"]["content"] == "Once"
    assert error.gateway is not None


def test_a_page_instead_of_a_stream(script: Callable[[str], str]) -> None:
    client = Gateway(base_url=script("html"), api_key="mgw_scripted")
    with pytest.raises(InvalidAnswerError, match="HTML"), client.chat.stream(model="m", messages=HELLO):
        pass


@pytest.fixture
def never_ends() -> Iterator[str]:
    """Sends a whole answer and its end mark, and keeps the connection without ending the body."""
    chunk = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(head + f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            stop.wait(20)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    stop.set()
    thread.join()
    listener.close()


def test_who_never_ends_after_the_end_mark_is_left(never_ends: str) -> None:
    started = time.monotonic()
    with Gateway(base_url=never_ends, api_key="mgw_x").chat.stream(model="m", messages=HELLO) as stream:
        assert stream.final().choices[0].message.content == "Hi"
    assert time.monotonic() - started < 10


async def test_who_never_ends_is_left_by_the_twin(never_ends: str) -> None:
    started = time.monotonic()
    client = AsyncGateway(base_url=never_ends, api_key="mgw_x")
    async with client, client.chat.stream(model="m", messages=HELLO) as stream:
        assert (await stream.final()).choices[0].message.content == "Hi"
    assert time.monotonic() - started < 10


def test_a_connection_is_used_again_after_a_stream(gateway: Gateway) -> None:
    for _ in range(2):
        with gateway.chat.stream(model="demo/mini", messages=HELLO) as stream:
            list(stream)
    pool = gateway._connection._client._transport._pool  # type: ignore[attr-defined]
    assert len(pool.connections) == 1
    assert pool.connections[0].is_idle()
