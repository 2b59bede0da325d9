"""Speech and its transcription."""

from typing import Any

from _client import connect
from checks import check

MODEL = "demo/transcribe"
TRANSCRIPT = "This is a recording of 2 seconds. The demo provider does not know its words."
ASKED: Any = {"model": "demo/speech", "voice": "alloy", "input": "The raven is like a writing desk", "response_format": "wav"}


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


@check("a transcription of what was spoken")
def _() -> None:
    raw = connect().audio.transcriptions.with_raw_response.create(model=MODEL, file=recording())
    assert raw.parse().text == TRANSCRIPT
    assert float(raw.headers["X-Gateway-Cost-Usd"]) > 0


@check("a transcription with its segments, and as text")
def _() -> None:
    client = connect()
    verbose = client.audio.transcriptions.create(model=MODEL, file=recording(), response_format="verbose_json")
    assert verbose.duration > 0 and verbose.segments
    text = client.audio.transcriptions.create(model=MODEL, file=recording(), response_format="text")
    assert text.strip() == TRANSCRIPT


@check("a streamed transcription")
def _() -> None:
    events = list(connect().audio.transcriptions.create(model=MODEL, file=recording(), stream=True))
    assert events[-1].type == "transcript.text.done" and events[-1].text == TRANSCRIPT


@check("a translation")
def _() -> None:
    assert connect().audio.translations.create(model=MODEL, file=recording()).text == TRANSCRIPT
