# Made from _async by scripts/unasync.py: change it there.
"""What administrators do, with the master key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..outgoing import get, post, segment
from ..wire import (
    AuditEntry,
    BudgetUseList,
    Config,
    ConfigReload,
    DeploymentList,
    Info,
    IssuedKey,
    Key,
    NodeList,
    Receipt,
    RouteExplanation,
    SpendReport,
    Team,
    TrafficReport,
)
from .pages import Pages
from .part import Part

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import CallOptions
    from ..wire import (
        CreateKey,
        DeleteTeamQuery,
        DeploymentSelection,
        GetSpendQuery,
        GetTrafficQuery,
        ListAuditQuery,
        ListBudgetsQuery,
        ListKeysQuery,
        ListRequestsQuery,
        ListTeamsQuery,
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
    def list(self, *, options: CallOptions | None = None, **query: Unpack[ListTeamsQuery]) -> Pages[Team]:
        """By name, from page to page."""
        return Pages(self._connection, Team, get("/admin/teams", options, query))

    def get(self, team: str, *, options: CallOptions | None = None) -> Team:
        return self._connection.record(Team, get(f"/admin/teams/{segment(team)}", options), "team")

    def put(self, team: str, *, options: CallOptions | None = None, **request: Unpack[PutTeam]) -> Team:
        """All of its limits and budgets: what is left out is none."""
        outgoing = self._asked("PUT", f"/admin/teams/{segment(team)}", options, dict(request))
        return self._connection.record(Team, outgoing, "team")

    def delete(self, team: str, *, options: CallOptions | None = None, **query: Unpack[DeleteTeamQuery]) -> Team:
        """Its limits and budgets are none. `force`: though keys name it, which else is an error."""
        outgoing = self._asked("DELETE", f"/admin/teams/{segment(team)}", options, query=query)
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

    def reset(
        self, *, options: CallOptions | None = None, **request: Unpack[DeploymentSelection]
    ) -> DeploymentList:
        """Forgets what was learnt of their health: the next request tries them."""
        outgoing = post("/admin/deployments/reset", request, options)
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

    def budgets(self, *, options: CallOptions | None = None, **query: Unpack[ListBudgetsQuery]) -> BudgetUseList:
        """How full the budgets of keys and teams are, the fullest first."""
        return self._connection.record(BudgetUseList, get("/admin/budgets", options, query), "data")

    def traffic(self, *, options: CallOptions | None = None, **query: Unpack[GetTrafficQuery]) -> TrafficReport:
        """How many requests, how they ended, how long they took and what they cost.

        By what `group_by` and `interval` say.
        """
        return self._connection.record(TrafficReport, get("/admin/traffic", options, query), "total")

    def audit(self, *, options: CallOptions | None = None, **query: Unpack[ListAuditQuery]) -> Pages[AuditEntry]:
        """What administrators did, newest first, from page to page."""
        return Pages(self._connection, AuditEntry, get("/admin/audit", options, query))

    def config(self, *, options: CallOptions | None = None) -> Config:
        """What is in force, what the file says, and what a reload would change; without secrets."""
        return self._connection.record(Config, get("/admin/config", options), "fields")

    def info(self, *, options: CallOptions | None = None) -> Info:
        """The gateway's version, its store and since when it runs."""
        return self._connection.record(Info, get("/admin/info", options), "version")

    def nodes(self, *, options: CallOptions | None = None) -> NodeList:
        """The gateways that work on the store, the longest at work first."""
        return self._connection.record(NodeList, get("/admin/nodes", options), "data")

    def explain(self, *, options: CallOptions | None = None, **request: Any) -> RouteExplanation:
        """What would be done with a request, and why; no provider is called.

        A chat's fields, or `request`, `endpoint`, `key`, `prefer` and `session_id`.
        """
        outgoing = post("/admin/route/explain", request, options)
        return self._connection.record(RouteExplanation, outgoing, "candidates")

    def reload(self, *, options: CallOptions | None = None) -> ConfigReload:
        """Has the gateway read its configuration file again."""
        return self._connection.record(ConfigReload, post("/admin/config/reload", None, options), "object")
