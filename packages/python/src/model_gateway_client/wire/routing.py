"""Made from openapi.json by `npm run openapi`: change the description there, not this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..models import Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing_extensions import Required
    from .receipts import ShadowDecision


class RouteExplanationDecision(Record):
    provider: str
    model: str
    deployment: str
    bucket: str
    """`none` where the caller names the model."""
    score: float
    """0 when no score decides."""
    reasons: list[str]


class RouteExplanationRefusal(Record):
    status: int
    type: str
    code: str
    message: str


class RouteExplanationExpectedCost(Record):
    usd: float | None
    """At the deployment that is tried first; null: nobody knows."""
    input_tokens: int
    output_tokens: int
    assumption: str


class RouteExplanation(Record):
    """What would be done with a request, and why. Nobody is called, nothing is booked, nothing is remembered."""
    _models = {"features": "RouteFeature", "decision": "RouteExplanationDecision", "refusal": "RouteExplanationRefusal", "candidates": "RouteCandidate", "expected_cost": "RouteExplanationExpectedCost", "shadow": "ShadowDecision", "model": "RouterModel"}
    object: Literal["route.explanation"]
    endpoint: str
    requested_model: str
    bucket: str
    """The prompt's, by its score; `none` for embeddings."""
    score: float
    """The prompt's rank in the reference mix, 0 to 1: 0.7 means that 30 % of the mix needs a strong model more."""
    cut_points: list[float]
    """Where each bucket ends and the next begins, as `prefer` moved them."""
    prefer: Literal["cost", "quality"] | None
    features: list[RouteFeature]
    """What weighed most, strongest first."""
    decision: RouteExplanationDecision | None
    """What would be done now; null: the request would be refused."""
    refusal: RouteExplanationRefusal | None
    """The error that the caller would get."""
    candidates: list[RouteCandidate]
    """By bucket, lowest first."""
    expected_cost: RouteExplanationExpectedCost
    shadow: ShadowDecision | None
    model: RouterModel


class RouterModelRefused(Record):
    at: str
    """RFC 3339 in UTC."""
    message: str


class RouterModel(Record):
    _models = {"refused": "RouterModelRefused"}
    name: str
    date: str
    """Of its training, `YYYY-MM-DD`."""
    file: str | None
    """null: the model that ships."""
    loaded_at: str
    """RFC 3339 in UTC."""
    refused: RouterModelRefused | None
    """The file holds something else by now that can't be used; the model before it goes on."""


class RouteCandidate(Record):
    """A deployment, and what becomes of it."""
    deployment: str
    provider: str
    model: str
    bucket: str | None
    """null: no bucket was asked for. A deployment in several buckets is listed in each."""
    fate: Literal["chosen", "spare", "unhealthy", "filtered", "lower_bucket", "not_needed"]
    """`chosen`: it is tried first. `spare`: it is tried when those before it failed. `unhealthy`: it is tried last, since its circuit is open, it is full or it asked for a pause. `filtered`: it can't serve this request. `lower_bucket`: it is in a bucket below the prompt's, which is never used. `not_needed`: it could, and is not tried."""
    place: int | None
    """Its place among those that are tried, from 1; null: it is not."""
    why: str | None
    """Why it is filtered."""
    expected_cost_usd: float | None
    """null: nobody knows its price."""


class RouteFeature(Record):
    name: str
    """In plain words."""
    value: float
    """What the prompt has of it, in the feature's own unit."""
    weight: float
    """What it added to the score: 0.1 moves a typical prompt up by about a tenth of the reference mix."""


class RouteQuestion(TypedDict, total=False):
    request: Required[Mapping[str, Any]]
    """The body as it would be sent to the endpoint. Without `model` it asks for `auto`."""
    endpoint: Literal["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/completions", "/v1/embeddings"]
    """Default: `/v1/chat/completions`."""
    key: str
    """The id of the virtual key whose rights apply. Default: every deployment is allowed."""
    prefer: Literal["cost", "quality"]
    """As `X-Gateway-Route-Prefer`."""
    session_id: str
    """As `X-Gateway-Session-Id`; with `key`."""
