"""Images: made, streamed, changed."""

import base64
from typing import Any

from _client import connect
from checks import check

ASKED: Any = {"model": "demo/picture", "size": "256x256"}


def png(data: str | None) -> bytes:
    image = base64.b64decode(data or "")
    assert image[1:4] == b"PNG"
    return image


def drawn() -> bytes:
    answer = connect().images.generate(prompt="a raven", **ASKED)
    return png((answer.data or [])[0].b64_json)


@check("images of a text, with a model and without")
def _() -> None:
    raw = connect().images.with_raw_response.generate(prompt="a raven", n=2, **ASKED)
    assert [bool(png(one.b64_json)) for one in raw.parse().data or []] == [True, True]
    assert float(raw.headers["X-Gateway-Cost-Usd"]) > 0
    assert len(connect().images.generate(prompt="a raven", size="256x256").data or []) == 1


@check("an image's previews, streamed")
def _() -> None:
    stream = connect().images.generate(prompt="a raven", stream=True, partial_images=1, **ASKED)
    events = list(stream)
    assert [event.type for event in events] == ["image_generation.partial_image", "image_generation.completed"]
    png(events[-1].b64_json)


@check("an edit of an uploaded image, and of two")
def _() -> None:
    client = connect()
    for image in [("raven.png", drawn(), "image/png")], [("a.png", drawn()), ("b.png", drawn())]:
        answer = client.images.edit(image=image, prompt="a white raven", **ASKED)
        png((answer.data or [])[0].b64_json)


@check("a variation")
def _() -> None:
    answer = connect().images.create_variation(image=("raven.png", drawn()), **ASKED)
    png((answer.data or [])[0].b64_json)
