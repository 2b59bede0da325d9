"""The runner of the conformance suite for this client; see packages/conformance/README.md.

`conformance.py [--async] <file>`: the synchronous client, or its twin.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from calls import CALLS, Asked
from observe import Observation, decision_of, error_of, note_answer, note_final, note_raw, shown, text_in

from model_gateway_client import AsyncGateway, CallOptions, Gateway

VARIABLES = ("GATEWAY_BASE_URL", "GATEWAY_API_KEY", "GATEWAY_MASTER_KEY")
AT_ONCE = 8
#: In one loop, which an event of megabytes holds up: the times of the others are short.
AT_ONCE_IN_LOOP = 1
# An environment is the whole process's: nothing may come between while a client reads it.
environment = threading.Lock()
telling = threading.Lock()


def construct(kind: type[Any], scenario: dict[str, Any]) -> Any:
    client: dict[str, Any] = {name: value for name, value in scenario["client"].items() if value is not None}
    if "timeout_ms" in client:
        client["timeout"] = client.pop("timeout_ms") / 1000
    with environment:
        for name in VARIABLES:
            os.environ.pop(name, None)
        os.environ.update(scenario.get("environment") or {})
        try:
            return kind(**client)
        finally:
            for name in VARIABLES:
                os.environ.pop(name, None)


def asked_of(step: dict[str, Any], fixtures: str) -> Asked:
    options: dict[str, Any] = dict(step.get("options") or {})
    if "timeout_ms" in options:
        options["timeout"] = options.pop("timeout_ms") / 1000
    body: dict[str, Any] = dict(step.get("body") or {})
    for name, file in (step.get("files") or {}).items():
        path = Path(fixtures) / file["fixture"]
        data = path.read_bytes()
        pieces = (data[start : start + 1000] for start in range(0, len(data), 1000))
        body[name] = {"path": path, "bytes": data, "stream": pieces}[file["as"]]
    return Asked(
        params=step.get("params") or {},
        query=step.get("query") or {},
        body=body,
        stream=step.get("stream") is True,
        parse=step.get("parse") is True,
        options=CallOptions(**options),
    )


def run(scenario: dict[str, Any]) -> list[Observation]:
    observations: list[Observation] = []
    try:
        client = construct(Gateway, scenario)
    except Exception as error:
        return [{"error": error_of(error), "shown": shown(error)}]
    saved: dict[str, str] = {}
    with client:
        for unfilled in scenario["steps"]:
            step, seen = begun(unfilled, saved, observations)
            started = time.perf_counter()
            try:
                observe(client, step, scenario["fixtures"], seen)
            except Exception as error:
                failed(error, client, seen)
            if ended(client, step, seen, started, saved):
                break
    return observations


async def run_async(scenario: dict[str, Any]) -> list[Observation]:
    observations: list[Observation] = []
    try:
        client = construct(AsyncGateway, scenario)
    except Exception as error:
        return [{"error": error_of(error), "shown": shown(error)}]
    saved: dict[str, str] = {}
    async with client:
        for unfilled in scenario["steps"]:
            step, seen = begun(unfilled, saved, observations)
            started = time.perf_counter()
            try:
                await observe_async(client, step, scenario["fixtures"], seen)
            except Exception as error:
                failed(error, client, seen)
            if ended(client, step, seen, started, saved):
                break
    return observations


def begun(
    unfilled: dict[str, Any], saved: dict[str, str], observations: list[Observation]
) -> tuple[dict[str, Any], Observation]:
    text = re.sub(r"\{\{(\w+)\}\}", lambda match: saved.get(match[1], match[0]), json.dumps(unfilled))
    observations.append({})
    return json.loads(text), observations[-1]


def failed(error: Exception, client: object, seen: Observation) -> None:
    seen["error"] = error_of(error)
    seen["shown"] = shown(error, client)


def ended(client: object, step: dict[str, Any], seen: Observation, started: float, saved: dict[str, str]) -> bool:
    seen["took_ms"] = (time.perf_counter() - started) * 1000
    if "error" in seen:
        return True
    seen["shown"] = shown(client)
    for name, path in (step.get("save") or {}).items():
        value: Any = seen
        for part in path.split("."):
            value = value[int(part)] if isinstance(value, list) else value[part]
        saved[name] = str(value)
    return False


def observe(client: Gateway, step: dict[str, Any], fixtures: str, seen: Observation) -> None:
    if step["operation"] == "construct":
        return
    asked = asked_of(step, fixtures)
    call = CALLS[step["operation"]](client, asked)
    if step.get("iterate"):
        seen["items"] = [item.to_dict() for item in call]
    elif step["operation"] in ("listKeys", "listRequests"):
        call.first()
    elif asked.stream:
        with call as stream:
            told = seen["stream"] = {"at_once": decision_of(stream.gateway), "pieces": 0, "text": ""}
            for event in stream:
                told["pieces"] += 1
                told["text"] += text_in(event)
                if told["pieces"] == step.get("leave_after"):
                    break
            else:
                note_final(stream.final(), seen)
        seen["gateway"] = decision_of(stream.gateway)
    else:
        note_answer(call, seen)
        if step.get("raw"):
            note_raw(call, seen)


async def observe_async(client: AsyncGateway, step: dict[str, Any], fixtures: str, seen: Observation) -> None:
    if step["operation"] == "construct":
        return
    asked = asked_of(step, fixtures)
    call = CALLS[step["operation"]](client, asked)
    if step.get("iterate"):
        seen["items"] = [item.to_dict() async for item in call]
    elif step["operation"] in ("listKeys", "listRequests"):
        await call.first()
    elif asked.stream:
        async with call as stream:
            told = seen["stream"] = {"at_once": decision_of(stream.gateway), "pieces": 0, "text": ""}
            async for event in stream:
                told["pieces"] += 1
                told["text"] += text_in(event)
                if told["pieces"] == step.get("leave_after"):
                    break
            else:
                note_final(await stream.final(), seen)
        seen["gateway"] = decision_of(stream.gateway)
    else:
        answer = await call
        note_answer(answer, seen)
        if step.get("raw"):
            note_raw(answer, seen)


def tell(scenario: dict[str, Any], observations: list[Observation]) -> None:
    line = json.dumps({"scenario": scenario["name"], "steps": observations})
    with telling:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


async def all_async(scenarios: list[dict[str, Any]]) -> None:
    limit = asyncio.Semaphore(AT_ONCE_IN_LOOP)

    async def one(scenario: dict[str, Any]) -> None:
        async with limit:
            tell(scenario, await run_async(scenario))

    await asyncio.gather(*(one(scenario) for scenario in scenarios))


def main() -> None:
    scenarios: list[dict[str, Any]] = json.loads(Path(sys.argv[-1]).read_text())
    if "--async" in sys.argv:
        asyncio.run(all_async(scenarios))
        return
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda scenario: tell(scenario, run(scenario)), scenarios))


if __name__ == "__main__":
    main()
