"""The synchronous client, made from `_async` by `scripts/unasync.py`; `io.py` alone is written by hand."""
