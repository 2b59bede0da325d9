"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing_extensions import Required
    from ..uploads import Upload


class ImagesData(Record):
    b64_json: str | None
    url: str | None


class Images(Answer):
    """`usage` is there where the provider tells one; the cost is in `gateway` always."""
    _models = {"data": "ImagesData", "usage": "ImagesUsage"}
    created: int
    """Seconds since 1970."""
    data: list[ImagesData]
    usage: ImagesUsage | None


class ImagesUsage(Record):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    cost: float | None
    """USD, exact; null: nobody knows the price."""


class ImageVariationsForm(TypedDict, total=False):
    model: str | None
    """A model that makes images; with `auto`, or left out, the first one that is configured."""
    image: Required[Upload]
    """A file: PNG, JPEG or WebP."""
    n: str | None
    size: str | None
    """`<width>x<height>`, or `auto`."""
    quality: str | None
    response_format: Literal["url", "b64_json"] | None
    """It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has."""


class ImageEditsForm(TypedDict, total=False):
    """Several images are several parts `image[]`."""
    model: str | None
    """A model that makes images; with `auto`, or left out, the first one that is configured."""
    prompt: Required[str]
    """What the image shows."""
    image: Required[Upload]
    """A file: PNG, JPEG or WebP."""
    mask: Upload
    """A file: PNG, JPEG or WebP."""
    n: str | None
    size: str | None
    """`<width>x<height>`, or `auto`."""
    quality: str | None
    response_format: Literal["url", "b64_json"] | None
    """It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has."""
    stream: str | None
    partial_images: str | None


class ImageEditsRequest(TypedDict, total=False):
    model: str | None
    """A model that makes images; with `auto`, or left out, the first one that is configured."""
    prompt: Required[str]
    """What the image shows."""
    images: Required[Sequence[Mapping[str, Any]]]
    """`{"image_url": …}`: an address or a data URL."""
    n: int | None
    """Images to make, 1 to 10."""
    size: str | None
    """`<width>x<height>`, or `auto`."""
    quality: str | None
    response_format: Literal["url", "b64_json"] | None
    """It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has."""
    stream: bool | None
    """Answer with server-sent events, where the model has them; its images are base64."""
    partial_images: int | None
    """Previews in the stream, 0 to 3."""


class ImagesRequest(TypedDict, total=False):
    model: str | None
    """A model that makes images; with `auto`, or left out, the first one that is configured."""
    prompt: Required[str]
    """What the image shows."""
    n: int | None
    """Images to make, 1 to 10."""
    size: str | None
    """`<width>x<height>`, or `auto`."""
    quality: str | None
    response_format: Literal["url", "b64_json"] | None
    """It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has."""
    stream: bool | None
    """Answer with server-sent events, where the model has them; its images are base64."""
    partial_images: int | None
    """Previews in the stream, 0 to 3."""
