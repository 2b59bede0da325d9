"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing_extensions import Required
    from ..uploads import Upload


class SpeechRequest(TypedDict, total=False):
    model: str
    """A model that can do this; `auto`, or nothing: the first one that is configured."""
    input: Required[str]
    """What to say."""
    voice: Any
    """The name of a voice, or an object with its id."""
    instructions: str | None
    response_format: str | None
    """`mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`."""
    speed: float | None
    stream_format: Literal["audio", "sse"] | None
    """`sse`: answer with server-sent events, which hold the sound in base64."""


class Transcript(Answer):
    _models = {"usage": "TranscriptUsage"}
    text: str
    usage: TranscriptUsage


class TranscriptUsage(Record):
    type: Literal["duration", "tokens"]
    """How it is billed: by the `seconds` of the recording, or by tokens."""
    cost: float | None
    """USD, exact; null: nobody knows the price."""


class TranslationRequest(TypedDict, total=False):
    file: Required[Upload]
    """The recording, as a file of the form. Its name and media type tell the provider its format."""
    model: str
    """A model that can do this; `auto`, or nothing: the first one that is configured."""
    prompt: str
    response_format: str
    """`json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`."""
    temperature: str


class TranscriptionRequest(TypedDict, total=False):
    file: Required[Upload]
    """The recording, as a file of the form. Its name and media type tell the provider its format."""
    model: str
    """A model that can do this; `auto`, or nothing: the first one that is configured."""
    prompt: str
    response_format: str
    """`json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`."""
    temperature: str
    language: str
    stream: str
    """`true`: answer with server-sent events."""
    timestamp_granularities: Sequence[str]
