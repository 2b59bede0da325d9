"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing_extensions import Required
    from .inference import ProviderChoice


class ModelArchitecture(Record):
    input_modalities: list[str]
    output_modalities: list[str]


class ModelPricing(Record):
    prompt: str | None
    """USD per token of input, as a decimal; null: not billed by the token."""
    completion: str | None
    """USD per token of output, as a decimal."""


class ModelGatewayPrice(Record):
    input: float | None
    """Input, USD per million tokens; null: not billed by the token."""
    cached_input: float | None
    """Input read from the provider's cache, USD per million tokens; null: not billed by the token."""
    output: float | None
    """Output, USD per million tokens; null: not billed by the token."""


class ModelGatewayReasoning(Record):
    """The efforts that the model takes, where they are known; of a single deployment."""
    efforts: list[str]
    default: str | None
    """The effort where none is asked for; null: unknown."""


class ModelGateway(Record):
    """What the gateway knows of it."""
    _models = {"price": "ModelGatewayPrice", "reasoning": "ModelGatewayReasoning"}
    kind: Literal["auto", "alias", "deployment"]
    bucket: str | None
    """The bucket of `auto` that it serves."""
    deployments: list[str]
    """The ids of those that serve it, in order."""
    context_window: int | None
    """Tokens of input and output together, at most."""
    max_output_tokens: int | None
    """Tokens of one answer, at most."""
    price: ModelGatewayPrice | None
    """That of the first deployment; null: unknown, or it depends. What is billed otherwise is named as in the configuration: `images`, `audio_seconds`, `characters`, `web_searches` …"""
    reasoning: ModelGatewayReasoning | None
    """The efforts that the model takes, where they are known; of a single deployment."""
    operations: list[str]
    """What it can be asked for, by any of its deployments."""
    modalities: list[str]
    health: Literal["ok", "unavailable"]


class Model(Record):
    _models = {"architecture": "ModelArchitecture", "pricing": "ModelPricing", "gateway": "ModelGateway"}
    id: str
    """What to send as `model`."""
    object: Literal["model"]
    created: int
    """Seconds since 1970."""
    owned_by: str
    name: str
    context_length: int | None
    """As `gateway.context_window`."""
    architecture: ModelArchitecture
    pricing: ModelPricing | None
    """As `gateway.price`, in the words of other gateways."""
    expiration_date: str | None
    """The day on which its vendor shuts it down, where that is known; of a single deployment."""
    supported_parameters: list[str]
    """What a request may ask for. Tools and schemas choose between the deployments that serve it; a `reasoning_effort` does not, and is left out for one that does not reason."""
    gateway: ModelGateway
    """What the gateway knows of it."""


class ModelList(Record):
    """What the calling key may use."""
    _models = {"data": "Model"}
    object: Literal["list"]
    data: list[Model]
    """`auto` first, where it is configured."""
    models: list[dict[str, Any]]
    """Those that serve Responses, in the form in which Codex reads its catalogue."""


class RankingResultDocument(Record):
    text: str


class RankingResult(Record):
    _models = {"document": "RankingResultDocument"}
    index: int
    """The document's place in the request, from 0."""
    relevance_score: float
    document: RankingResultDocument | None


class Ranking(Answer):
    _models = {"results": "RankingResult", "usage": "RerankUsage"}
    id: str
    model: str
    results: list[RankingResult]
    """Best first."""
    usage: RerankUsage


class RerankUsage(Record):
    total_tokens: int
    search_units: int | None
    """At providers that bill these."""
    cost: float | None
    """USD, exact; null: nobody knows the price."""


class RerankRequestDocument(TypedDict, total=False):
    text: Required[str]


class RerankRequest(TypedDict, total=False):
    model: Required[str]
    """A model that ranks; with `auto` the first one that is configured."""
    models: Sequence[str] | None
    """Further models, called in this order after those of `model`."""
    provider: ProviderChoice | Mapping[str, Any] | None
    """Narrows and orders the deployments that may serve."""
    query: Required[str]
    documents: Required[Sequence[str | RerankRequestDocument | Mapping[str, Any]]]
    """1 to 10,000 texts, or objects that hold one."""
    top_n: int | None
    """As many of the best are returned. Default: all."""
    return_documents: bool | None
    """Whether each result holds its document. Default: false. Works on every provider."""


class ModerationResult(Record):
    flagged: bool
    categories: dict[str, Any]
    category_scores: dict[str, Any]


class Moderation(Answer):
    _models = {"results": "ModerationResult"}
    id: str
    model: str
    results: list[ModerationResult]


class ModerationRequest(TypedDict, total=False):
    model: str | None
    """Default: `auto`, the first model that is configured for this."""
    input: Required[str | Sequence[str] | Sequence[Mapping[str, Any]]]
    """A text, a list of texts, or a list of parts (text, images), which are judged together."""


class EmbeddingsData(Record):
    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class Embeddings(Answer):
    _models = {"usage": "EmbeddingsUsage", "data": "EmbeddingsData"}
    object: Literal["list"]
    model: str
    usage: EmbeddingsUsage
    data: list[EmbeddingsData]


class EmbeddingsUsage(Record):
    prompt_tokens: int
    total_tokens: int
    cost: float | None
    """USD, exact; null: nobody knows the price."""


class EmbeddingsRequest(TypedDict, total=False):
    model: Required[str]
    """A model that makes vectors; with `auto` the first one that is configured."""
    models: Sequence[str] | None
    """Further models, called in this order after those of `model`."""
    provider: ProviderChoice | Mapping[str, Any] | None
    """Narrows and orders the deployments that may serve."""
    input: Required[str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]]
    """A text, a list of texts, the tokens of one text, or a list of those."""
    dimensions: int | None
    """Numbers per vector, where the model lets one choose."""
    encoding_format: Literal["float", "base64"] | None
    """`base64`: 32-bit floats, little endian. It works on every provider: where that one has no base64, the gateway packs."""
