"""Answers: the JSON as it came, read by attributes. Fields that no version knows are kept, and can be read too."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from .decision import Decision

_classes: dict[str, type[Record]] = {}


class Record:
    """An object of the API. A field that did not come is None; `record["field"]` is the JSON itself."""

    __slots__ = ("_read", "_wire")
    #: Field → name of the class that its objects have.
    _models: ClassVar[Mapping[str, str]] = {}
    _fields: ClassVar[frozenset[str]] = frozenset()
    _wire: dict[str, Any]
    _read: dict[str, Any]

    def __init__(self, wire: dict[str, Any]) -> None:
        object.__setattr__(self, "_wire", wire)
        object.__setattr__(self, "_read", {})

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = [name for name in inspect.get_annotations(cls) if not name.startswith("_")]
        cls._fields = frozenset({*cls._fields, *own})
        _classes[cls.__name__] = cls

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            try:
                return self._read[name]
            except KeyError:
                pass
            key = name[:-1] if name.endswith("_") else name
            if key in self._wire:
                value = self._wire[key]
                model = self._models.get(key)
                if model is not None:
                    value = _made(_classes[model], value)
                self._read[name] = value
                return value
            if name in self._fields:
                return None
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} can't be changed")

    def __getitem__(self, name: str) -> Any:
        return self._wire[name]

    def __contains__(self, name: object) -> bool:
        return name in self._wire

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._wire == other._wire

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={_short(value)}" for name, value in self._wire.items())
        return f"{type(self).__name__}({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._wire,)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def to_dict(self) -> dict[str, Any]:
        """The JSON, as it came."""
        return self._wire


@dataclass(frozen=True)
class RawResponse:
    """The answer as HTTP has it."""

    status_code: int
    headers: httpx.Headers


class Answer(Record):
    """What a model answered, with the decision and the cost."""

    __slots__ = ("_decision", "_raw")
    _decision: Decision | None
    _raw: RawResponse | None

    def __init__(self, wire: dict[str, Any], decision: Decision | None = None, raw: RawResponse | None = None) -> None:
        super().__init__(wire)
        object.__setattr__(self, "_decision", decision)
        object.__setattr__(self, "_raw", raw)

    @property
    def gateway(self) -> Decision | None:
        """Which deployment answered, why, and what it cost; None where another server answered."""
        return self._decision

    @property
    def raw(self) -> RawResponse | None:
        """Status and headers."""
        return self._raw

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._wire, self._decision, self._raw)


class TextAnswer(Answer):
    """A response, with its text in one piece."""

    __slots__ = ()

    @property
    def output_text(self) -> str:
        """All text that the model wrote, without its reasoning and its calls of tools; "" where there is none."""
        messages = [item for item in self._wire.get("output") or [] if item.get("type") == "message"]
        parts = [part for message in messages for part in message.get("content") or [] if isinstance(part, dict)]
        return "".join(str(part.get("text", "")) for part in parts if part.get("type") == "output_text")


class Event(Record):
    """An event of a stream, by its `type`, with whatever else it has."""

    __slots__ = ()
    type: str

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _made(model: type[Record], value: Any) -> Any:
    if isinstance(value, dict):
        return model(value)
    if isinstance(value, list):
        return [_made(model, item) for item in value]
    return value


_LONGEST = 200


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
