"""What a model can do, as `GET /v1/models` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model_gateway_client import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence


def profile_in(cards: Sequence[dict[str, Any]], model: str) -> dict[str, Any]:
    """The profile of the model that `model` names; an error lists the models of the key when it is none of them."""
    exact = (card for card in cards if card["id"] == model)
    # A bare model name stands for every deployment of it: the list has them as `<provider>/<model>`.
    bare = (card for card in cards if card["id"].endswith(f"/{model}"))
    card = next(exact, None) or next(bare, None)
    if card is None:
        names = ", ".join(card["id"] for card in cards) or "none"
        raise ConfigurationError(f"The gateway has no model {model!r} for this key. It has: {names}.")
    return _profile(card)


def _profile(card: dict[str, Any]) -> dict[str, Any]:
    """What the card does not say stays out: unknown is not the same as no."""
    own = card.get("gateway") or {}
    found: dict[str, Any] = {
        "max_input_tokens": own.get("context_window") or card.get("context_length"),
        "max_output_tokens": own.get("max_output_tokens"),
    }
    modalities = own.get("modalities")
    if modalities is not None:
        found.update({f"{kind}_inputs": kind in modalities for kind in ("image", "audio")})
    parameters = card.get("supported_parameters")
    if parameters is not None:
        found.update(
            tool_calling="tools" in parameters,
            tool_choice="tool_choice" in parameters,
            structured_output="structured_outputs" in parameters,
            reasoning_output="reasoning_effort" in parameters,
        )
    return {name: value for name, value in found.items() if value is not None}
