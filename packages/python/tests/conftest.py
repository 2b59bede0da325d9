"""The gateway and the server that plays scripts, once for all tests."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from model_gateway_client import AsyncGateway, Gateway

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Servers:
    url: str
    master_key: str
    api_key: str
    foreign: str
    fixtures: str
    scenarios: str


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    node = ROOT / "node_modules" / "node" / "bin" / "node"
    program = ROOT / "packages" / "conformance" / "src" / "server.ts"
    with subprocess.Popen([node, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield Servers(**json.loads(server.stdout.readline()))
        server.stdin.close()


@pytest.fixture
def gateway(servers: Servers) -> Iterator[Gateway]:
    with Gateway(base_url=servers.url, api_key=servers.api_key, master_key=servers.master_key) as client:
        yield client


@pytest.fixture
def async_gateway(servers: Servers) -> AsyncGateway:
    return AsyncGateway(base_url=servers.url, api_key=servers.api_key, master_key=servers.master_key)


_askers = itertools.count()


@pytest.fixture
def script(servers: Servers) -> Callable[[str], str]:
    """The address of a script; its requests are counted alone."""
    return lambda name: f"{servers.foreign}/{name}/pytest-{next(_askers)}"


@pytest.fixture
def seen() -> Callable[[str], list[dict[str, object]]]:
    """What the server that plays a script has seen."""

    def look(url: str) -> list[dict[str, object]]:
        said: list[dict[str, object]] = httpx.get(f"{url}/_seen").json()
        return said

    return look
