"""Streams that break off after some words must not look like answers."""

import os

import anthropic
from anthropic import Anthropic

from checks import check, fails


@check("a stream that breaks off raises")
def _() -> None:
    client = Anthropic(base_url=os.environ["GATEWAY_URL"], api_key=os.environ["GATEWAY_KEY"], max_retries=0)

    def read() -> None:
        message = {"role": "user", "content": "Say hello"}
        with client.messages.stream(model="demo/cut-6", max_tokens=500, messages=[message]) as stream:
            stream.get_final_message()

    fails(anthropic.APIStatusError, read)
