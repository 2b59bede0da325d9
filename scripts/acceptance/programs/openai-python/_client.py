"""The client as its users make it."""

from typing import Any, Callable

import openai
from openai import OpenAI

from checks import KEY, URL

MESSAGES: Any = [{"role": "user", "content": "Say hello"}]


def connect(key: str = KEY, **options: Any) -> OpenAI:
    return OpenAI(base_url=f"{URL}/v1", api_key=key, **{"max_retries": 0, **options})


def counting(key: str) -> tuple[OpenAI, Callable[[], int]]:
    """A client with its usual retries, and how often it called."""
    calls: list[object] = []
    http_client = openai.DefaultHttpxClient(event_hooks={"request": [calls.append]})
    return connect(key, max_retries=2, http_client=http_client), lambda: len(calls)
