"""What every program in Python uses: the gateway, keys, and checks, which print a line each."""

import json
import os
import traceback
import urllib.request
from typing import Any, Callable

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
MASTER_KEY = os.environ["GATEWAY_MASTER_KEY"]

CHECKS: list[tuple[str, Callable[[], None]]] = []


def check(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(run: Callable[[], None]) -> Callable[[], None]:
        CHECKS.append((name, run))
        return run

    return add


def new_key(**fields: Any) -> str:
    """A virtual key, made through the admin API."""
    request = urllib.request.Request(
        f"{URL}/admin/keys",
        data=json.dumps(fields).encode(),
        headers={"Authorization": f"Bearer {MASTER_KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["key"]


def fails(expected: type[Exception], call: Callable[[], object]) -> Any:
    """The error of exactly this class that the call raises."""
    try:
        call()
    except expected as error:
        assert type(error) is expected, f"{type(error).__name__} where {expected.__name__} was expected"
        return error
    raise AssertionError(f"no {expected.__name__} was raised")


def run_checks() -> None:
    for name, run in CHECKS:
        try:
            run()
            print(f"ok {name}")
        except Exception:
            print(f"FAIL {name}")
            print("  " + traceback.format_exc(limit=-4).strip().replace("\n", "\n  "))
