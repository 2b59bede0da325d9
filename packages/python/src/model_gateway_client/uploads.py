"""Files of forms: from a path, from bytes, from an open file, from pieces of bytes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import ExitStack
from typing import IO, Any, Union

from .errors import ConfigurationError

#: Its name tells providers the format; where there is none it is read from the first bytes. A pair names it: `("a.wav", data)`.
Upload = Union[
    "os.PathLike[str]", bytes, IO[bytes], Iterable[bytes], "tuple[str, bytes | IO[bytes] | os.PathLike[str]]"
]


class Form:
    """Fields as text, files as they come; lists become fields of the same name with `[]`."""

    def __init__(self, fields: dict[str, Any], files: frozenset[str]) -> None:
        """`files`: the names of the fields that are files."""
        self.data: dict[str, list[str]] = {}
        self.files: list[tuple[str, tuple[str, Any]]] = []
        self._opened = ExitStack()
        try:
            for name, value in fields.items():
                if isinstance(value, list) or (name not in files and isinstance(value, tuple)):
                    for item in value:
                        self._append(f"{name}[]", item, name in files)
                else:
                    self._append(name, value, name in files)
        except BaseException:
            self.close()
            raise

    def _append(self, name: str, value: Any, is_file: bool) -> None:
        if value is None:
            return
        if is_file:
            self.files.append((name, self._file(value)))
            return
        text = value if isinstance(value, str) else json.dumps(value)
        self.data.setdefault(name, []).append(text)

    def _file(self, upload: Any) -> tuple[str, Any]:
        name = ""
        if isinstance(upload, tuple):
            name, upload = upload
        if isinstance(upload, (str, os.PathLike)):
            path = os.fspath(upload)
            try:
                upload = self._opened.enter_context(open(path, "rb"))
            except OSError as error:
                raise ConfigurationError(f"The file {path} can't be read: {error.strerror}.") from error
            name = name or os.path.basename(path)
        elif isinstance(upload, (bytearray, memoryview)):
            upload = bytes(upload)
        elif hasattr(upload, "read"):
            given = getattr(upload, "name", None)
            name = name or (os.path.basename(given) if isinstance(given, str) else "")
            # What can't be wound back could not be sent again.
            if not _is_seekable(upload):
                upload = upload.read()
        elif not isinstance(upload, bytes):
            upload = b"".join(upload)
        return name or f"file{_extension(upload)}", upload

    def close(self) -> None:
        """Closes what was opened here."""
        self._opened.close()


def _is_seekable(file: Any) -> bool:
    seekable = getattr(file, "seekable", None)
    return bool(seekable()) if callable(seekable) else False


#: Formats by their first bytes.
_FORMATS: tuple[tuple[str, bytes], ...] = (
    (".wav", rb"RIFF....WAVE"),
    (".webp", rb"RIFF....WEBP"),
    (".mp3", rb"ID3|\xff[\xe2-\xfb]"),
    (".ogg", rb"OggS"),
    (".flac", rb"fLaC"),
    (".webm", rb".E\xdf\xa3"),
    (".m4a", rb"....ftyp"),
    (".png", rb"\x89PNG"),
    (".jpg", rb"\xff\xd8"),
)


def _extension(data: Any) -> str:
    if isinstance(data, bytes):
        start = data[:12]
    else:
        start = data.read(12)
        data.seek(0)
    return next((name for name, pattern in _FORMATS if re.match(pattern, start, re.DOTALL)), "")
