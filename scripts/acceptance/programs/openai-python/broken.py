"""Streams that break off after some words must not look like answers."""

import openai

from _client import MESSAGES, connect
from checks import check, fails

MODEL = "demo/cut-6"


@check("chat: a stream that breaks off raises")
def _() -> None:
    text: list[str] = []

    def read() -> None:
        for chunk in connect().chat.completions.create(model=MODEL, messages=MESSAGES, stream=True):
            text.append(chunk.choices[0].delta.content or "")

    fails(openai.APIError, read)
    assert "".join(text) != ""


@check("Responses: a stream that breaks off raises")
def _() -> None:
    client = connect()
    fails(openai.APIError, lambda: list(client.responses.create(model=MODEL, input="Say hello", stream=True)))


@check("completions: a stream that breaks off raises")
def _() -> None:
    client = connect()
    fails(openai.APIError, lambda: list(client.completions.create(model=MODEL, prompt="Say hello", stream=True)))
