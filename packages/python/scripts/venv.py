"""Runs a Python program in an environment of its own, made once from exact pins.

`venv.py [--requirements FILE] program.py args…`; instead of a program `--ready` only makes the environment. It stands under
`node_modules/.cache` and is made anew when the pins change. Where it can't be made, one line says why, and the exit code is 75.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NOT_POSSIBLE = 75


def python_with(requirements: Path) -> Path:
    """The interpreter of the environment."""
    # An environment knows where it stands: a copied one would run the sources of where it came from.
    pins = b"".join([requirements.read_bytes(), sys.version.encode(), str(ROOT).encode(), Path(__file__).read_bytes()])
    here = requirements.resolve().parent
    name = "-".join([*here.relative_to(ROOT / "packages").parts, f"{sys.version_info.major}.{sys.version_info.minor}"])
    folder = ROOT / "node_modules" / ".cache" / "model-gateway" / "python" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    python, done = folder / "bin" / "python", folder / "made-from"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made_from = hashlib.sha256(pins).hexdigest()
        if not done.exists() or done.read_text() != made_from:
            run(sys.executable, "-m", "venv", "--clear", str(folder))
            run(
                *f"{python} -m pip install --disable-pip-version-check --retries 1 --timeout 10 -q --no-deps -r".split(),
                str(requirements),
            )
            sources = [here / "src", ROOT / "packages" / "python" / "src"]
            [packages] = folder.glob("lib/python3*/site-packages")
            (packages / "sources.pth").write_text("".join(f"{path}\n" for path in sources))
            done.write_text(made_from)
    return python


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotPossible(said[-1] if said else f"{command[0]} ended with {done.returncode}")


class NotPossible(Exception):
    """No module venv, or no index of packages within reach."""


def main() -> int:
    args = sys.argv[1:]
    requirements = Path("requirements.txt")
    if args[:1] == ["--requirements"]:
        requirements, args = Path(args[1]), args[2:]
    try:
        python = python_with(requirements)
    except NotPossible as error:
        print(f"the packages of {requirements} can't be installed: {error}")
        return NOT_POSSIBLE
    if args == ["--ready"]:
        return 0
    return os.execv(python, [str(python), *args])


if __name__ == "__main__":
    sys.exit(main())
