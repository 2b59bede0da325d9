from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from conftest import Servers

from model_gateway_client import AsyncGateway, ConfigurationError, Gateway
from model_gateway_client.uploads import Form

FILE = frozenset({"file"})


def name_of(upload: Any) -> str:
    form = Form({"file": upload}, FILE)
    form.close()
    return form.files[0][1][0]


def test_a_file_has_its_own_name_the_given_one_or_that_of_its_format(tmp_path: Path) -> None:
    path = tmp_path / "hum.wav"
    path.write_bytes(b"RIFF....WAVE")
    assert name_of(path) == "hum.wav"
    with path.open("rb") as file:
        assert name_of(file) == "hum.wav"
    assert name_of(("a.mp3", b"x")) == "a.mp3"
    assert name_of(b"\x89PNG....") == "file.png"
    assert name_of(io.BytesIO(b"OggS")) == "file.ogg"
    assert name_of(iter([b"ID", b"3"])) == "file.mp3"
    assert name_of(b"?") == "file"


def test_a_file_that_cant_be_read(gateway: Gateway) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.wav can't be read"):
        gateway.audio.transcriptions.create(model="demo/transcribe", file=Path("nowhere.wav"))


def test_fields_are_text_and_lists_have_their_brackets() -> None:
    form = Form({"temperature": 0.5, "include": ["a", "b"], "stream": True, "prompt": None, "file": b"x"}, FILE)
    assert form.data == {"temperature": ["0.5"], "include[]": ["a", "b"], "stream": ["true"]}


async def test_the_twin_sends_files_too(async_gateway: AsyncGateway, servers: Servers) -> None:
    async with async_gateway:
        heard = await async_gateway.audio.transcriptions.create(
            model="demo/transcribe", file=Path(servers.fixtures) / "hum.wav"
        )
    assert heard.text


def test_several_pictures(gateway: Gateway, servers: Servers) -> None:
    dot = (Path(servers.fixtures) / "dot.png").read_bytes()
    assert gateway.images.edit(model="demo/picture", prompt="A door", image=[dot, dot]).data
