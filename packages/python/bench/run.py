"""One measurement of one client, for `npm run bench:clients`.

`run.py <ours|theirs> <address> plain <calls>` or `… stream <events>`. Prints one line of JSON: `cpu_us`, microseconds of processor time a call
or an event, and of a stream `heap_mb`, the most that was live while it ran.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

WHOSE, ADDRESS, WHAT, COUNT = sys.argv[1:5]
MESSAGES = [{"role": "user", "content": "A question of some length, as they are."}]
LOOKS = 10


def ours() -> tuple[Callable[[], Any], Callable[[str, Callable[[], None]], None]]:
    from model_gateway_client import Gateway

    client = Gateway(base_url=ADDRESS, api_key="mgw_bench")

    def plain() -> Any:
        return client.chat.create(model="mini", messages=MESSAGES).choices[0].message.content

    def stream(model: str, see: Callable[[], None]) -> None:
        with client.chat.stream(model=model, messages=MESSAGES) as chunks:
            for chunk in chunks:
                _ = chunk.choices[0].delta.content
                see()

    return plain, stream


def theirs() -> tuple[Callable[[], Any], Callable[[str, Callable[[], None]], None]]:
    from openai import OpenAI

    client: Any = OpenAI(base_url=f"{ADDRESS}/v1", api_key="sk-bench")

    def plain() -> Any:
        return client.chat.completions.create(model="mini", messages=MESSAGES).choices[0].message.content

    def stream(model: str, see: Callable[[], None]) -> None:
        for chunk in client.chat.completions.create(model=model, messages=MESSAGES, stream=True):
            _ = chunk.choices[0].delta.content
            see()

    return plain, stream


def cpu_of(run: Callable[[], None]) -> float:
    before = time.process_time()
    run()
    return (time.process_time() - before) * 1e6


def heap_of(stream: Callable[[str, Callable[[], None]], None], events: int) -> float:
    """The most that was live at ten looks on the way."""
    seen, most = 0, 0

    def look() -> None:
        nonlocal seen, most
        seen += 1
        if seen % (events // LOOKS) == 0:
            most = max(most, tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    stream(f"events-{events}", look)
    return most / 2**20


def main() -> None:
    size = int(COUNT)
    plain, stream = ours() if WHOSE == "ours" else theirs()
    if WHAT == "plain":

        def calls() -> None:
            for _ in range(size):
                plain()

        for _ in range(50):
            plain()
        print(json.dumps({"cpu_us": cpu_of(calls) / size}))
        return
    stream("events-1000", lambda: None)
    cpu = cpu_of(lambda: stream(f"events-{size}", lambda: None))
    print(json.dumps({"cpu_us": cpu / size, "heap_mb": heap_of(stream, size) if size <= 10_000 else 0}))


if __name__ == "__main__":
    main()
