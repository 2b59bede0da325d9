# Made from _async by scripts/unasync.py: change it there.
"""What administrators do, with the master key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..outgoing import get, post, segment
from ..wire import (
    ConfigReload,
    DeploymentList,
    IssuedKey,
    Key,
    Receipt,
    RouteExplanation,
    SpendReport,
    Team,
)
from .pages import Pages
from .part import Part

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import CallOptions
    from ..wire import (
        CreateKey,
        DeploymentSelection,
        GetSpendQuery,
        ListKeysQuery,
        ListRequestsQuery,
        PutTeam,
        RotateKey,
        UpdateKey,
    )


class Keys(Part):
    def create(self, *, options: CallOptions | None = None, **request: Unpack[CreateKey]) -> IssuedKey:
        """The answer holds the secret, this once."""
        return self._connection.record(IssuedKey, post("/admin/keys", request, options), "key")

    def list(self, *, options: CallOptions | None = None, **query: Unpack[ListKeysQuery]) -> Pages[Key]:
        """Newest first, from page to page."""
        return Pages(self._connection, Key, get("/admin/keys", options, query))

    def get(self, key_id: str, *, options: CallOptions | None = None) -> Key:
        return self._connection.record(Key, get(_key(key_id), options), "id")

    def update(self, key_id: str, *, options: CallOptions | None = None, **request: Unpack[UpdateKey]) -> Key:
        """A merge patch: what is left out stays, None goes back to the default."""
        return self._connection.record(Key, self._asked("PATCH", _key(key_id), options, dict(request)), "id")

    def revoke(self, key_id: str, *, options: CallOptions | None = None) -> Key:
        return self._connection.record(Key, self._asked("DELETE", _key(key_id), options), "id")

    def rotate(
        self, key_id: str, *, options: CallOptions | None = None, **request: Unpack[RotateKey]
    ) -> IssuedKey:
        """The answer holds the new secret, this once."""
        outgoing = post(f"{_key(key_id)}/rotate", request or None, options)
        return self._connection.record(IssuedKey, outgoing, "key")


def _key(key_id: str) -> str:
    return f"/admin/keys/{segment(key_id)}"


class Teams(Part):
    def get(self, team: str, *, options: CallOptions | None = None) -> Team:
        return self._connection.record(Team, get(f"/admin/teams/{segment(team)}", options), "team")

    def put(self, team: str, *, options: CallOptions | None = None, **request: Unpack[PutTeam]) -> Team:
        """All of its limits and budgets: what is left out is none."""
        outgoing = self._asked("PUT", f"/admin/teams/{segment(team)}", options, dict(request))
        return self._connection.record(Team, outgoing, "team")


class Deployments(Part):
    def list(self, *, options: CallOptions | None = None) -> DeploymentList:
        return self._connection.record(DeploymentList, get("/admin/deployments", options), "data")

    def disable(
        self, *, options: CallOptions | None = None, **request: Unpack[DeploymentSelection]
    ) -> DeploymentList:
        """Out of rotation; lasts over restarts."""
        outgoing = post("/admin/deployments/disable", request, options)
        return self._connection.record(DeploymentList, outgoing, "data")

    def enable(
        self, *, options: CallOptions | None = None, **request: Unpack[DeploymentSelection]
    ) -> DeploymentList:
        outgoing = post("/admin/deployments/enable", request, options)
        return self._connection.record(DeploymentList, outgoing, "data")


class Requests(Part):
    def list(self, *, options: CallOptions | None = None, **query: Unpack[ListRequestsQuery]) -> Pages[Receipt]:
        """The receipts of requests that are over, from page to page."""
        return Pages(self._connection, Receipt, get("/admin/requests", options, query))

    def get(self, request_id: str, *, options: CallOptions | None = None) -> Receipt:
        return self._connection.record(Receipt, get(f"/admin/requests/{segment(request_id)}", options), "id")


class Admin(Part):
    @property
    def keys(self) -> Keys:
        return Keys(self._connection)

    @property
    def teams(self) -> Teams:
        return Teams(self._connection)

    @property
    def deployments(self) -> Deployments:
        return Deployments(self._connection)

    @property
    def requests(self) -> Requests:
        return Requests(self._connection)

    def spend(self, *, options: CallOptions | None = None, **query: Unpack[GetSpendQuery]) -> SpendReport:
        return self._connection.record(SpendReport, get("/admin/spend", options, query), "total")

    def explain(self, *, options: CallOptions | None = None, **request: Any) -> RouteExplanation:
        """What would be done with a request, and why; no provider is called.

        A chat's fields, or `request`, `endpoint`, `key`, `prefer` and `session_id`.
        """
        outgoing = post("/admin/route/explain", request, options)
        return self._connection.record(RouteExplanation, outgoing, "candidates")

    def reload(self, *, options: CallOptions | None = None) -> ConfigReload:
        """Has the gateway read its configuration file again."""
        return self._connection.record(ConfigReload, post("/admin/config/reload", None, options), "object")
