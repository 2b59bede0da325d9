from __future__ import annotations

import pytest

from model_gateway_client.sse import MOST, SseParser, TooLargeError

BYTES = ": hello\n\nevent: a\ndata: one\n\ndata:two\r\ndata: lines\r\n\r\ndata: größer\rid: 3\r\rdata\n\ndata: last".encode()
EVENTS = [b"one", b"two\nlines", "größer".encode(), b"last"]


@pytest.mark.parametrize("size", range(1, len(BYTES) + 1))
def test_events_are_the_same_however_they_are_cut(size: int) -> None:
    parser = SseParser()
    events = []
    for start in range(0, len(BYTES), size):
        events += parser.push(BYTES[start : start + size])
    assert events + parser.end() == EVENTS


def test_an_event_without_an_end_is_refused() -> None:
    parser = SseParser()
    piece = b"x" * 2**20
    with pytest.raises(TooLargeError):
        for _ in range(MOST // len(piece) + 2):
            parser.push(piece)


def test_many_lines_of_one_event_are_refused_too() -> None:
    parser = SseParser()
    with pytest.raises(TooLargeError):
        for _ in range(MOST // 2**20 + 2):
            parser.push(b"data: " + b"x" * 2**20 + b"\n")


def test_empty_lines_of_one_event_are_refused_too() -> None:
    parser = SseParser(most=1000)
    with pytest.raises(TooLargeError):
        parser.push(b"data:\n" * 1001)
