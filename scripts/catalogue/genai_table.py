"""Writes the table of the installed `genai-prices` (PyPI) as JSON, in the units of the catalogue: USD per million tokens.

python -m pip install genai-prices && python scripts/catalogue/genai_table.py > genai-prices.json
"""

import json

from genai_prices.data import providers

CLASSES = {
    "input_mtok": "input",
    "cache_read_mtok": "cached_input",
    "cache_write_mtok": "cache_write",
    "cache_write_1h_mtok": "cache_write_1h",
    "input_audio_mtok": "audio_input",
    "output_mtok": "output",
    "output_audio_mtok": "audio_output",
}


def usd(prices):
    """The base price of each class; thresholds are left out."""
    found = {CLASSES[key]: getattr(price, "base", price) for key, price in vars(prices).items() if key in CLASSES}
    return {name: float(price) for name, price in found.items() if price is not None}


def last(prices):
    return prices[-1].prices if isinstance(prices, list) else prices


table = {f"{one.id}/{model.id}": {"usd": usd(last(model.prices)), "context": model.context_window} for one in providers for model in one.models}
print(json.dumps(table, indent=1, sort_keys=True))
