"""What a stream's events add up to, kept while they pass: its size is that of the answer, not of the events."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from .models import Answer, Event, Record
from .wire import ChatCompletion, ChatCompletionChunk, Completion, Message, ResponseObject, Transcript

if TYPE_CHECKING:
    from .decision import Decision
    from .models import RawResponse

E = TypeVar("E", bound=Record)
F = TypeVar("F", bound=Answer)
Fields = dict[str, Any]


class Collector(Generic[E, F]):
    """One stream's. Everything here is JSON; `event` and `answer` are the classes that callers see."""

    event: type[E]
    answer: type[F]

    def knows(self, data: Fields) -> bool:
        """Whether the data is one of this stream's; what no version knows is passed over."""
        return isinstance(data.get("type"), str)

    def add(self, data: Fields) -> str | None:
        """→ the text that the event adds."""
        raise NotImplementedError

    def is_over(self) -> bool:
        """An end that needs no `[DONE]`: after it nothing has to come."""
        raise NotImplementedError

    def result(self) -> Fields | None:
        """Put together from what has come; None: nothing has."""
        raise NotImplementedError

    def final(self, wire: Fields, decision: Decision | None, raw: RawResponse) -> F:
        return self.answer(wire, decision, raw)


class _Choices(Collector[E, F]):
    object: ClassVar[str]

    def __init__(self) -> None:
        self._envelope: Fields | None = None
        self._choices: dict[int, tuple[Fields, Fields]] = {}

    def knows(self, data: Fields) -> bool:
        return isinstance(data.get("choices"), list)

    def piece(self, choice: Fields) -> Fields | None:
        """Where a choice has its new part."""
        raise NotImplementedError

    def text(self, piece: Fields) -> Any:
        raise NotImplementedError

    def add(self, data: Fields) -> str | None:
        # Most chunks repeat the first one's envelope: only what is new is looked at.
        if self._envelope is None or data.get("usage"):
            new = {name: value for name, value in data.items() if value is not None and name not in _NOT_KEPT}
            self._envelope = {**(self._envelope or {}), **new}
        said: str | None = None
        for choice in data["choices"]:
            if not isinstance(choice, dict):
                continue
            index = choice.get("index", 0)
            if not _is_place(index):
                continue
            kept = self._choices.get(index)
            if kept is None:
                kept = self._choices[index] = ({"index": index}, self.start())
            fields, message = kept
            piece = self.piece(choice)
            if piece is not None:
                _merge(message, piece)
                if index == 0 and isinstance(self.text(piece), str):
                    said = self.text(piece)
            if isinstance(choice.get("logprobs"), dict):
                _merge(fields, {"logprobs": choice["logprobs"]})
            if isinstance(choice.get("finish_reason"), str):
                fields["finish_reason"] = choice["finish_reason"]
        return said

    def start(self) -> Fields:
        return {}

    def is_over(self) -> bool:
        return bool(self._choices) and all("finish_reason" in fields for fields, _ in self._choices.values())

    def choice(self, fields: Fields, message: Fields) -> Fields:
        raise NotImplementedError

    def result(self) -> Fields | None:
        if self._envelope is None:
            return None
        whole = [self.choice(*self._choices[index]) for index in sorted(self._choices)]
        wire: Fields = _joined({**self._envelope, "object": self.object, "choices": whole})
        return wire


_NOT_KEPT = frozenset({"choices", "gateway"})


class ChatCollector(_Choices[ChatCompletionChunk, ChatCompletion]):
    object = "chat.completion"
    event = ChatCompletionChunk
    answer = ChatCompletion

    def start(self) -> Fields:
        return {"role": "assistant"}

    def piece(self, choice: Fields) -> Fields | None:
        delta = choice.get("delta")
        return delta if isinstance(delta, dict) else None

    def text(self, piece: Fields) -> Any:
        return piece.get("content")

    def choice(self, fields: Fields, message: Fields) -> Fields:
        return {**fields, "message": message}


class CompletionCollector(_Choices[Completion, Completion]):
    object = "text_completion"
    event = Completion
    answer = Completion

    def piece(self, choice: Fields) -> Fields | None:
        return {"text": choice.get("text")}

    def text(self, piece: Fields) -> Any:
        return piece["text"]

    def choice(self, fields: Fields, message: Fields) -> Fields:
        return {**fields, **message}


class _Text(list[str]):
    """A text in pieces: joined once, at the end."""


#: Fields that come whole each time they come.
_WHOLE = frozenset({"id", "type", "role", "index"})


#: No answer is nested deeper; below that nothing is merged.
_MOST_DEPTH = 64


def _merge(into: Fields, piece: Fields, depth: int = 0) -> None:
    """Texts and lists grow, objects are merged, list items that have an index are merged by it."""
    for name, value in piece.items():
        if value is None:
            continue
        had = into.get(name)
        if isinstance(value, str) and name not in _WHOLE:
            if isinstance(had, _Text):
                had.append(value)
            else:
                into[name] = _Text([value])
        elif isinstance(value, list):
            into[name] = _merge_list(had if type(had) is list else [], value, depth)
        elif isinstance(value, dict) and depth < _MOST_DEPTH:
            inner: Fields = had if isinstance(had, dict) else {}
            into[name] = inner
            _merge(inner, value, depth + 1)
        elif value != "" or had is None:
            into[name] = value


def _merge_list(into: list[Any], piece: list[Any], depth: int) -> list[Any]:
    for item in piece:
        if not isinstance(item, dict) or not isinstance(item.get("index"), int) or depth >= _MOST_DEPTH:
            into.append(item)
            continue
        if not _is_place(item["index"]):
            continue
        kept = next((one for one in into if isinstance(one, _Indexed) and one.index == item["index"]), None)
        if kept is None:
            kept = _Indexed(item["index"])
            into.append(kept)
        _merge(kept, {name: value for name, value in item.items() if name != "index"}, depth + 1)
    return into


#: No answer has so many choices, tool calls or blocks.
_MOST_PLACES = 1024


def _is_place(index: object) -> bool:
    return isinstance(index, int) and 0 <= index < _MOST_PLACES


class _Indexed(dict[str, Any]):
    """An item of a list that pieces of it name by its index."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index


def _joined(value: Any, levels: int = 3 * _MOST_DEPTH) -> Any:
    """`levels`: what was merged is within them, with its lists."""
    if isinstance(value, _Text):
        return "".join(value)
    if levels == 0:
        return value
    if isinstance(value, list):
        return [_joined(item, levels - 1) for item in value]
    if isinstance(value, dict):
        return {name: _joined(inner, levels - 1) for name, inner in value.items()}
    return value


class _ByType(Collector[Event, F]):
    """Events that have a `type`."""

    event = Event
    text_type: ClassVar[str] = ""

    def __init__(self) -> None:
        self._result: Fields | None = None
        self._over = False

    def add(self, data: Fields) -> str | None:
        self.take(data)
        said = data.get("delta")
        return said if data["type"] == self.text_type and isinstance(said, str) else None

    def take(self, data: Fields) -> None:
        raise NotImplementedError

    def is_over(self) -> bool:
        return self._over

    def result(self) -> Fields | None:
        return self._result


class ResponseCollector(_ByType[ResponseObject]):
    """The last event holds the response."""

    answer = ResponseObject
    text_type = "response.output_text.delta"

    def take(self, data: Fields) -> None:
        is_end = data["type"] in ("response.completed", "response.incomplete", "response.cancelled")
        if (is_end or data["type"] == "response.created") and isinstance(data.get("response"), dict):
            self._result = data["response"]
        self._over = self._over or is_end


class _LastEvent(_ByType[F]):
    """The last event is the answer."""

    end: ClassVar[re.Pattern[str]]

    def take(self, data: Fields) -> None:
        if self.end.fullmatch(data["type"]):
            self._result = data
            self._over = True


class TranscriptCollector(_LastEvent[Transcript]):
    answer = Transcript
    end: ClassVar[re.Pattern[str]] = re.compile(r"transcript\.text\.done")
    text_type = "transcript.text.delta"


class PictureEvent(Answer):
    """The last event of a picture's stream."""

    b64_json: str | None


class PictureCollector(_LastEvent[PictureEvent]):
    answer = PictureEvent
    end: ClassVar[re.Pattern[str]] = re.compile(r"image_\w+\.completed")


class SpeechEvent(Answer):
    """The last event of spoken text."""


class SpeechCollector(_LastEvent[SpeechEvent]):
    answer = SpeechEvent
    end: ClassVar[re.Pattern[str]] = re.compile(r"speech\.audio\.done")


class MessageCollector(_ByType[Message]):
    """A message, block by block."""

    answer = Message

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[Any, Fields] = {}

    def add(self, data: Fields) -> str | None:
        self.take(data)
        delta = data.get("delta")
        said = delta.get("text") if data["type"] == "content_block_delta" and isinstance(delta, dict) else None
        return said if isinstance(said, str) else None

    def take(self, data: Fields) -> None:
        kind, index, delta = data["type"], str(data.get("index", 0)), data.get("delta")
        if kind == "message_start" and isinstance(data.get("message"), dict):
            self._result = dict(data["message"])
        elif kind == "content_block_start" and isinstance(data.get("content_block"), dict):
            self._blocks[index] = _begun(data["content_block"])
        elif kind == "content_block_delta" and isinstance(delta, dict):
            self._grow(self._blocks.setdefault(index, {}), delta)
        elif kind == "message_delta" and self._result is not None:
            had = self._result.get("usage")
            usage = {**(had if isinstance(had, dict) else {}), **(data.get("usage") or {})}
            self._result = {**self._result, **(delta if isinstance(delta, dict) else {}), "usage": usage}
        elif kind == "message_stop":
            self._over = True

    @staticmethod
    def _grow(block: Fields, delta: Fields) -> None:
        for name in ("text", "thinking", "signature", "partial_json"):
            if isinstance(delta.get(name), str):
                _merge(block, {name: delta[name]})
        if isinstance(delta.get("citation"), dict):
            _merge(block, {"citations": [delta["citation"]]})

    def result(self) -> Fields | None:
        if self._result is None:
            return None
        return {**self._result, "content": [_finished(_joined(block)) for block in self._blocks.values()]}


def _begun(block: Fields) -> Fields:
    """A block whose texts can grow."""
    growing = {name: block[name] for name in ("text", "thinking", "signature") if isinstance(block.get(name), str)}
    return {**block, **{name: _Text([text]) for name, text in growing.items()}}


def _finished(block: Fields) -> Fields:
    """Of a message that broke off the input may be half of a JSON."""
    text = block.pop("partial_json", "")
    if text:
        try:
            block["input"] = json.loads(text)
        except ValueError:
            block["input"] = text
    return block
