"""All checks and tests of a Python package of this repository, for `npm test`: says little while all is well.

`verify.py NAME`, in the package's folder. The last line counts: `N passed, N failed, N skipped`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOT_POSSIBLE = 75

CHECKS = [
    ["-m", "ruff", "check", "--no-cache", "."],
    ["-m", "ruff", "format", "--check", "--no-cache", "."],
    ["-m", "mypy", "--cache-dir", str(HERE.parents[2] / "node_modules" / ".cache" / "model-gateway" / "mypy")],
]
TESTS = ["-m", "pytest", "-q", "-rs", "--no-header", "-p", "no:cacheprovider"]
COUNT = re.compile(r"(\d+) (passed|failed|skipped|error)")


def run(args: list[str]) -> subprocess.CompletedProcess[str]:
    venv = [sys.executable, str(HERE / "venv.py")]
    return subprocess.run([*venv, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main() -> int:
    ready = run(["--ready"])
    if ready.returncode == NOT_POSSIBLE:
        print(f"SKIP {sys.argv[1]}: {ready.stdout.strip()}", file=sys.stderr)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    count = {"passed": 0, "failed": 0, "skipped": 0}
    twins = [[str(HERE / "unasync.py"), "--check"]] if Path("scripts/unasync.py").exists() else []
    for check in twins + CHECKS:
        done = run(check)
        if done.returncode == 0:
            count["passed"] += 1
        else:
            count["failed"] += 1
            print(done.stdout)
    tests = run(TESTS)
    found = {what: int(number) for number, what in COUNT.findall(tests.stdout.strip().splitlines()[-1])}
    count["passed"] += found.get("passed", 0)
    count["skipped"] += found.get("skipped", 0)
    failed = found.get("failed", 0) + found.get("error", 0)
    count["failed"] += 1 if tests.returncode != 0 and failed == 0 else failed
    skipped = [line.split(": ", 1)[-1] for line in tests.stdout.splitlines() if line.startswith("SKIPPED")]
    if skipped:
        print(f"SKIP {sys.argv[1]}: {' '.join(skipped)}", file=sys.stderr)
    if tests.returncode != 0:
        print(tests.stdout)
    print(", ".join(f"{number} {what}" for what, number in count.items()))
    return 0 if count["failed"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
