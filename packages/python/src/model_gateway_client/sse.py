"""Server-sent events, down to their data: any line end, comments, several data lines, split anywhere."""

from __future__ import annotations

from .failures import MOST_OF_ANSWER

#: Bytes of one event: a picture in base64 fits, a line without an end does not.
MOST = 2**25


class TooLargeError(Exception):
    """An event, or a stream, without an end."""

    def __init__(self, what: str, most: int) -> None:
        super().__init__(f"{what} is longer than {most} bytes")


class SseParser:
    """Bytes in, the data of whole events out."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._total = 0
        #: A line without its end, in the pieces that came.
        self._open: list[bytes] = []
        self._size = 0
        self._data: list[bytes] = []
        self._data_size = 0
        self._after_return = False

    def push(self, piece: bytes) -> list[bytes]:
        """The data of every event that is whole now."""
        events: list[bytes] = []
        if not piece:
            return events
        self._total += len(piece)
        if self._total > MOST_OF_ANSWER:
            raise TooLargeError("the stream", MOST_OF_ANSWER)
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_return = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = piece.split(b"\n")
        rest = lines.pop()
        if lines and self._open:
            self._open.append(lines[0])
            lines[0] = b"".join(self._open)
            self._open = []
            self._size = 0
        for line in lines:
            self._line(line, events)
        if rest:
            self._open.append(rest)
            self._size += len(rest)
            if self._size > self._most:
                raise self._too_large()
        return events

    def end(self) -> list[bytes]:
        """What is left when the bytes end: a last event without its empty line counts."""
        events: list[bytes] = []
        line = b"".join(self._open)
        self._open = []
        self._line(line, events)
        self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[bytes]) -> None:
        if line.startswith(b"data:"):
            value = line[6:] if line[5:6] == b" " else line[5:]
            self._data.append(value)
            # With its line end: empty lines take room too.
            self._data_size += len(value) + 1
            if self._data_size > self._most:
                raise self._too_large()
        elif not line and self._data:
            events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
            self._data = []
            self._data_size = 0

    def _too_large(self) -> TooLargeError:
        return TooLargeError("an event", self._most)
