"""Speech and its transcription."""

from typing import Any

from _client import connect
from checks import check

MODEL = "demo/transcribe"
WORDS = "The raven is like a writing desk"
ASKED: Any = {"model": "demo/speech", "voice": "alloy", "input": WORDS, "response_format": "wav"}


def recording() -> tuple[str, bytes, str]:
    return ("words.wav", connect().audio.speech.create(**ASKED).content, "audio/wav")


@check("speech, whole and in pieces")
def _() -> None:
    client = connect()
    whole = client.audio.speech.create(**ASKED).content
    assert whole[:4] == b"RIFF"
    with client.audio.speech.with_streaming_response.create(**ASKED) as response:
        assert float(response.headers["X-Gateway-Cost-Usd"]) > 0
        assert b"".join(response.iter_bytes()) == whole


@check("a transcription has the words that were spoken")
def _() -> None:
    raw = connect().audio.transcriptions.with_raw_response.create(model=MODEL, file=recording())
    assert raw.parse().text == WORDS
    assert float(raw.headers["X-Gateway-Cost-Usd"]) > 0


@check("a transcription with its segments, and as text")
def _() -> None:
    client = connect()
    verbose = client.audio.transcriptions.create(model=MODEL, file=recording(), response_format="verbose_json")
    assert verbose.duration > 0 and verbose.segments
    text = client.audio.transcriptions.create(model=MODEL, file=recording(), response_format="text")
    assert text.strip() == WORDS


@check("a streamed transcription")
def _() -> None:
    events = list(connect().audio.transcriptions.create(model=MODEL, file=recording(), stream=True))
    assert events[-1].type == "transcript.text.done" and events[-1].text == WORDS


@check("a translation")
def _() -> None:
    assert connect().audio.translations.create(model=MODEL, file=recording()).text == WORDS
