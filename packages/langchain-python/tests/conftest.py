"""The real gateway with the demo provider, once for all tests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session", autouse=True)
def servers() -> Iterator[dict[str, Any]]:
    node = ROOT / "node_modules" / "node" / "bin" / "node"
    program = ROOT / "packages" / "conformance" / "src" / "server.ts"
    with subprocess.Popen([node, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        said = json.loads(server.stdout.readline())
        os.environ["GATEWAY_BASE_URL"] = said["url"]
        os.environ["GATEWAY_API_KEY"] = said["api_key"]
        yield said
        server.stdin.close()
