"""Writes the synchronous client, `_sync`, from the asynchronous one. A test fails while it is not up to date.

`python scripts/unasync.py`; with `--check` nothing is written.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "model_gateway_client"
BY_HAND = {"__init__.py", "io.py"}
HEAD = "# Made from _async by scripts/unasync.py: change it there.\n"

RULES = [
    (r"\basync (def|with|for) ", r"\1 "),
    (r"\bawait ", ""),
    (r"__a(enter|exit|iter|next)__", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\b(_?)Async([A-Z]\w*)", r"\1\2"),
    (r"\ba(read|close|iter_bytes)\b", r"\1"),
]


def unasync(text: str) -> str:
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return HEAD + text


def made() -> dict[Path, str]:
    files = sorted((SOURCE / "_async").glob("*.py"))
    return {SOURCE / "_sync" / file.name: unasync(file.read_text()) for file in files if file.name not in BY_HAND}


def main() -> int:
    stale = [path for path, text in made().items() if not path.exists() or path.read_text() != text]
    if "--check" not in sys.argv:
        for path, text in made().items():
            path.write_text(text)
    elif stale:
        print("not up to date:", *(path.name for path in stale))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
