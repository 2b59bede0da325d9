"""Every operation that the clients have, and the call of this client that it is; the same for both twins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Asked:
    params: dict[str, str] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    stream: bool = False
    parse: bool = False
    options: Any = None

    @property
    def id(self) -> str:
        return self.params["id"]


def _sent(pick: Callable[[Any], Any]) -> Callable[[Any, Asked], Any]:
    """A call with a body, whole or streamed."""

    def call(client: Any, asked: Asked) -> Any:
        part = pick(client)
        name = "stream" if asked.stream else "generate" if hasattr(part, "generate") else "create"
        return getattr(part, name)(options=asked.options, **asked.body)

    return call


def _chat(client: Any, asked: Asked) -> Any:
    if asked.parse:
        return client.chat.parse(options=asked.options, **asked.body)
    return _sent(lambda c: c.chat.completions)(client, asked)


def _response(client: Any, asked: Asked) -> Any:
    read = client.responses.replay if asked.stream else client.responses.get
    return read(asked.id, options=asked.options, **asked.query)


def _by_id(pick: Callable[[Any], Any]) -> Callable[[Any, Asked], Any]:
    return lambda client, asked: pick(client)(asked.id, options=asked.options, **asked.query, **asked.body)


def _by_team(pick: Callable[[Any], Any]) -> Callable[[Any, Asked], Any]:
    return lambda client, asked: pick(client)(asked.params["team"], options=asked.options, **asked.query, **asked.body)


def _plain(pick: Callable[[Any], Any]) -> Callable[[Any, Asked], Any]:
    return lambda client, asked: pick(client)(options=asked.options, **asked.query, **asked.body)


CALLS: dict[str, Callable[[Any, Asked], Any]] = {
    "createChatCompletion": _chat,
    "createResponse": _sent(lambda c: c.responses),
    "getResponse": _response,
    "deleteResponse": _by_id(lambda c: c.responses.delete),
    "cancelResponse": _by_id(lambda c: c.responses.cancel),
    "listInputItems": _by_id(lambda c: c.responses.input_items),
    "compactResponse": _plain(lambda c: c.responses.compact),
    "countInputTokens": _plain(lambda c: c.responses.count_input_tokens),
    "createMessage": _sent(lambda c: c.messages),
    "countTokens": _plain(lambda c: c.messages.count_tokens),
    "createCompletion": _sent(lambda c: c.completions),
    "createEmbeddings": _plain(lambda c: c.embeddings.create),
    "createModeration": _plain(lambda c: c.moderations.create),
    "createRanking": _plain(lambda c: c.rerank.create),
    "createTranscription": _sent(lambda c: c.audio.transcriptions),
    "createTranslation": _sent(lambda c: c.audio.translations),
    "createSpeech": _sent(lambda c: c.audio.speech),
    "createImage": _sent(lambda c: c.images),
    "editImage": _plain(lambda c: c.images.edit),
    "varyImage": _plain(lambda c: c.images.create_variation),
    "listModels": _plain(lambda c: c.models.list),
    "getModel": _by_id(lambda c: c.models.get),
    "getOwnKey": _plain(lambda c: c.key.get),
    "getReceipt": _by_id(lambda c: c.receipts.get),
    "giveFeedback": _by_id(lambda c: c.receipts.feedback),
    "createKey": _plain(lambda c: c.admin.keys.create),
    "listKeys": _plain(lambda c: c.admin.keys.list),
    "getKey": _by_id(lambda c: c.admin.keys.get),
    "updateKey": _by_id(lambda c: c.admin.keys.update),
    "revokeKey": _by_id(lambda c: c.admin.keys.revoke),
    "rotateKey": _by_id(lambda c: c.admin.keys.rotate),
    "listTeams": _plain(lambda c: c.admin.teams.list),
    "deleteTeam": _by_team(lambda c: c.admin.teams.delete),
    "getTeam": _by_team(lambda c: c.admin.teams.get),
    "putTeam": _by_team(lambda c: c.admin.teams.put),
    "listDeployments": _plain(lambda c: c.admin.deployments.list),
    "disableDeployments": _plain(lambda c: c.admin.deployments.disable),
    "enableDeployments": _plain(lambda c: c.admin.deployments.enable),
    "resetDeployments": _plain(lambda c: c.admin.deployments.reset),
    "listBudgets": _plain(lambda c: c.admin.budgets),
    "getTraffic": _plain(lambda c: c.admin.traffic),
    "getSpend": _plain(lambda c: c.admin.spend),
    "listRequests": _plain(lambda c: c.admin.requests.list),
    "getRequest": _by_id(lambda c: c.admin.requests.get),
    "explainRoute": _plain(lambda c: c.admin.explain),
    "getConfig": _plain(lambda c: c.admin.config),
    "reloadConfig": _plain(lambda c: c.admin.reload),
    "getInfo": _plain(lambda c: c.admin.info),
    "listNodes": _plain(lambda c: c.admin.nodes),
    "listAudit": _plain(lambda c: c.admin.audit),
}
