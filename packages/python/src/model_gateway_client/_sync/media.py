# Made from _async by scripts/unasync.py: change it there.
"""Sound and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..collectors import PictureCollector, PictureEvent, SpeechCollector, SpeechEvent, TranscriptCollector
from ..decision import decision_of_headers
from ..media import BytesAnswer
from ..models import Event, RawResponse
from ..outgoing import Outgoing, post, request_of, whole
from ..settings import CallOptions
from ..wire import Images, Transcript
from .part import Part
from .stream import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Unpack

    from ..wire import (
        ImageEditsForm,
        ImagesRequest,
        ImageVariationsForm,
        SpeechRequest,
        TranscriptionRequest,
        TranslationRequest,
    )

T = TypeVar("T", bound=Transcript)
_FILES = frozenset({"file", "image", "images", "mask"})


def _form(path: str, fields: Mapping[str, Any], options: CallOptions | None) -> Outgoing:
    given = options or CallOptions()
    body = {**request_of(path, fields), **given.extra_body}
    return Outgoing("POST", path, body=body, options=given, files=_FILES)


class Audio(Part):
    @property
    def transcriptions(self) -> Transcriptions:
        return Transcriptions(self._connection)

    @property
    def translations(self) -> Translations:
        return Translations(self._connection)

    @property
    def speech(self) -> Speech:
        return Speech(self._connection)


class _Heard(Part):
    def _heard(self, outgoing: Outgoing) -> Transcript:
        """Formats that are no JSON (`text`, `srt`, `vtt`) have a text and nothing else."""
        response = self._connection.open(outgoing)
        kind = response.headers.get("content-type", "")
        if "json" in kind or "html" in kind:
            body = self._connection.json(response, outgoing, "text")
        else:
            body = {"text": (self._connection.content(response, outgoing)).decode(errors="replace")}
        return self._connection.answered(Transcript, body, response)


class Transcriptions(_Heard):
    def create(
        self, *, options: CallOptions | None = None, **request: Unpack[TranscriptionRequest]
    ) -> Transcript:
        return self._heard(_form("/v1/audio/transcriptions", whole(request), options))

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[TranscriptionRequest]
    ) -> Stream[Event, Transcript]:
        outgoing = _form("/v1/audio/transcriptions", {**request, "stream": True}, options)
        return Stream(self._connection, outgoing, TranscriptCollector())


class Translations(_Heard):
    def create(self, *, options: CallOptions | None = None, **request: Unpack[TranslationRequest]) -> Transcript:
        return self._heard(_form("/v1/audio/translations", request, options))


class Speech(Part):
    def create(self, *, options: CallOptions | None = None, **request: Unpack[SpeechRequest]) -> BytesAnswer:
        outgoing = post("/v1/audio/speech", request, options)
        response = self._connection.open(outgoing)
        content = self._connection.content(response, outgoing)
        return BytesAnswer(
            content=content,
            content_type=response.headers.get("content-type", ""),
            gateway=decision_of_headers(response.headers),
            raw=RawResponse(response.status_code, response.headers),
        )

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[SpeechRequest]
    ) -> Stream[Event, SpeechEvent]:
        """Events with pieces of sound in base64."""
        outgoing = post("/v1/audio/speech", {**request, "stream_format": "sse"}, options)
        return Stream(self._connection, outgoing, SpeechCollector())


class ImageMaker(Part):
    def generate(self, *, options: CallOptions | None = None, **request: Unpack[ImagesRequest]) -> Images:
        return self._connection.answer(Images, post("/v1/images/generations", whole(request), options), "data")

    def stream(
        self, *, options: CallOptions | None = None, **request: Unpack[ImagesRequest]
    ) -> Stream[Event, PictureEvent]:
        outgoing = post("/v1/images/generations", {**request, "stream": True}, options)
        return Stream(self._connection, outgoing, PictureCollector())

    def edit(self, *, options: CallOptions | None = None, **request: Unpack[ImageEditsForm]) -> Images:
        """`image`: a file, or a list of files."""
        return self._connection.answer(Images, _form("/v1/images/edits", whole(request), options), "data")

    def create_variation(
        self, *, options: CallOptions | None = None, **request: Unpack[ImageVariationsForm]
    ) -> Images:
        return self._connection.answer(Images, _form("/v1/images/variations", request, options), "data")
