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
from .pages import AsyncPages
from .part import AsyncPart

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


class AsyncKeys(AsyncPart):
    async def create(self, *, options: CallOptions | None = None, **request: Unpack[CreateKey]) -> IssuedKey:
        """The answer holds the secret, this once."""
        return await self._connection.record(IssuedKey, post("/admin/keys", request, options), "key")

    def list(self, *, options: CallOptions | None = None, **query: Unpack[ListKeysQuery]) -> AsyncPages[Key]:
        """Newest first, from page to page."""
        return AsyncPages(self._connection, Key, get("/admin/keys", options, query))

    async def get(self, key_id: str, *, options: CallOptions | None = None) -> Key:
        return await self._connection.record(Key, get(_key(key_id), options), "id")

    async def update(self, key_id: str, *, options: CallOptions | None = None, **request: Unpack[UpdateKey]) -> Key:
        """A merge patch: what is left out stays, None goes back to the default."""
        return await self._connection.record(Key, self._asked("PATCH", _key(key_id), options, dict(request)), "id")

    async def revoke(self, key_id: str, *, options: CallOptions | None = None) -> Key:
        return await self._connection.record(Key, self._asked("DELETE", _key(key_id), options), "id")

    async def rotate(
        self, key_id: str, *, options: CallOptions | None = None, **request: Unpack[RotateKey]
    ) -> IssuedKey:
        """The answer holds the new secret, this once."""
        outgoing = post(f"{_key(key_id)}/rotate", request or None, options)
        return await self._connection.record(IssuedKey, outgoing, "key")


def _key(key_id: str) -> str:
    return f"/admin/keys/{segment(key_id)}"


class AsyncTeams(AsyncPart):
    def list(self, *, options: CallOptions | None = None, **query: Unpack[ListTeamsQuery]) -> AsyncPages[Team]:
        """By name, from page to page."""
        return AsyncPages(self._connection, Team, get("/admin/teams", options, query))

    async def get(self, team: str, *, options: CallOptions | None = None) -> Team:
        return await self._connection.record(Team, get(f"/admin/teams/{segment(team)}", options), "team")

    async def put(self, team: str, *, options: CallOptions | None = None, **request: Unpack[PutTeam]) -> Team:
        """All of its limits and budgets: what is left out is none."""
        outgoing = self._asked("PUT", f"/admin/teams/{segment(team)}", options, dict(request))
        return await self._connection.record(Team, outgoing, "team")

    async def delete(self, team: str, *, options: CallOptions | None = None, **query: Unpack[DeleteTeamQuery]) -> Team:
        """Its limits and budgets are none. `force`: though keys name it, which else is an error."""
        outgoing = self._asked("DELETE", f"/admin/teams/{segment(team)}", options, query=query)
        return await self._connection.record(Team, outgoing, "team")


class AsyncDeployments(AsyncPart):
    async def list(self, *, options: CallOptions | None = None) -> DeploymentList:
        return await self._connection.record(DeploymentList, get("/admin/deployments", options), "data")

    async def disable(
        self, *, options: CallOptions | None = None, **request: Unpack[DeploymentSelection]
    ) -> DeploymentList:
        """Out of rotation; lasts over restarts."""
        outgoing = post("/admin/deployments/disable", request, options)
        return await self._connection.record(DeploymentList, outgoing, "data")

    async def enable(
        self, *, options: CallOptions | None = None, **request: Unpack[DeploymentSelection]
    ) -> DeploymentList:
        outgoing = post("/admin/deployments/enable", request, options)
        return await self._connection.record(DeploymentList, outgoing, "data")

    async def reset(
        self, *, options: CallOptions | None = None, **request: Unpack[DeploymentSelection]
    ) -> DeploymentList:
        """Forgets what was learnt of their health: the next request tries them."""
        outgoing = post("/admin/deployments/reset", request, options)
        return await self._connection.record(DeploymentList, outgoing, "data")


class AsyncRequests(AsyncPart):
    def list(self, *, options: CallOptions | None = None, **query: Unpack[ListRequestsQuery]) -> AsyncPages[Receipt]:
        """The receipts of requests that are over, from page to page."""
        return AsyncPages(self._connection, Receipt, get("/admin/requests", options, query))

    async def get(self, request_id: str, *, options: CallOptions | None = None) -> Receipt:
        return await self._connection.record(Receipt, get(f"/admin/requests/{segment(request_id)}", options), "id")


class AsyncAdmin(AsyncPart):
    @property
    def keys(self) -> AsyncKeys:
        return AsyncKeys(self._connection)

    @property
    def teams(self) -> AsyncTeams:
        return AsyncTeams(self._connection)

    @property
    def deployments(self) -> AsyncDeployments:
        return AsyncDeployments(self._connection)

    @property
    def requests(self) -> AsyncRequests:
        return AsyncRequests(self._connection)

    async def spend(self, *, options: CallOptions | None = None, **query: Unpack[GetSpendQuery]) -> SpendReport:
        return await self._connection.record(SpendReport, get("/admin/spend", options, query), "total")

    async def budgets(self, *, options: CallOptions | None = None, **query: Unpack[ListBudgetsQuery]) -> BudgetUseList:
        """How full the budgets of keys and teams are, the fullest first."""
        return await self._connection.record(BudgetUseList, get("/admin/budgets", options, query), "data")

    async def traffic(self, *, options: CallOptions | None = None, **query: Unpack[GetTrafficQuery]) -> TrafficReport:
        """How many requests, how they ended, how long they took and what they cost.

        By what `group_by` and `interval` say.
        """
        return await self._connection.record(TrafficReport, get("/admin/traffic", options, query), "total")

    def audit(self, *, options: CallOptions | None = None, **query: Unpack[ListAuditQuery]) -> AsyncPages[AuditEntry]:
        """What administrators did, newest first, from page to page."""
        return AsyncPages(self._connection, AuditEntry, get("/admin/audit", options, query))

    async def config(self, *, options: CallOptions | None = None) -> Config:
        """What is in force, what the file says, and what a reload would change; without secrets."""
        return await self._connection.record(Config, get("/admin/config", options), "fields")

    async def info(self, *, options: CallOptions | None = None) -> Info:
        """The gateway's version, its store and since when it runs."""
        return await self._connection.record(Info, get("/admin/info", options), "version")

    async def nodes(self, *, options: CallOptions | None = None) -> NodeList:
        """The gateways that work on the store, the longest at work first."""
        return await self._connection.record(NodeList, get("/admin/nodes", options), "data")

    async def explain(self, *, options: CallOptions | None = None, **request: Any) -> RouteExplanation:
        """What would be done with a request, and why; no provider is called.

        A chat's fields, or `request`, `endpoint`, `key`, `prefer` and `session_id`.
        """
        outgoing = post("/admin/route/explain", request, options)
        return await self._connection.record(RouteExplanation, outgoing, "candidates")

    async def reload(self, *, options: CallOptions | None = None) -> ConfigReload:
        """Has the gateway read its configuration file again."""
        return await self._connection.record(ConfigReload, post("/admin/config/reload", None, options), "object")
