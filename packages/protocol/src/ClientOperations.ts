/**
 * Which operations the native clients have as calls of their own: each is marked `x-client: true` in the OpenAPI document. Every
 * client's tests fail while it lacks one of them, or a field of one.
 */
const operations: ReadonlySet<string> = new Set([
  "chat.createChatCompletion",
  "responses.createResponse",
  "responses.cancelResponse",
  "storedResponses.getResponse",
  "storedResponses.deleteResponse",
  "storedResponses.listInputItems",
  "storedResponses.compactResponse",
  "storedResponses.countInputTokens",
  "messages.createMessage",
  "messages.countTokens",
  "completions.createCompletion",
  "embeddings.createEmbeddings",
  "moderations.createModeration",
  "rerank.createRanking",
  "audio.createTranscription",
  "audio.createTranslation",
  "audio.createSpeech",
  "images.createImage",
  "images.editImage",
  "images.varyImage",
  "models.listModels",
  "models.getModel",
  "key.getOwnKey",
  "receipts.getReceipt",
  "receipts.giveFeedback",
  "keys.createKey",
  "keys.listKeys",
  "keys.getKey",
  "keys.updateKey",
  "keys.revokeKey",
  "keys.rotateKey",
  "teams.listTeams",
  "teams.deleteTeam",
  "teams.getTeam",
  "teams.putTeam",
  "budgets.listBudgets",
  "deployments.listDeployments",
  "deployments.disableDeployments",
  "deployments.enableDeployments",
  "deployments.resetDeployments",
  "spend.getSpend",
  "traffic.getTraffic",
  "requests.listRequests",
  "requests.getRequest",
  "routing.explainRoute",
  "config.getConfig",
  "config.reloadConfig",
  "info.getInfo",
  "nodes.listNodes",
  "audit.listAudit"
])

interface Operation {
  readonly operationId: string
}

/** The document with the marks. A name that is no operation's is a mistake in the list above. */
export const markedForClients = (document: Record<string, unknown>): Record<string, unknown> => {
  const missing = new Set(operations)
  const marked = Object.entries(document["paths"] as object).map(([path, methods]: [string, object]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]: [string, Operation]) => [
        method,
        missing.delete(operation.operationId) ? { ...operation, "x-client": true } : operation
      ])
    )
  ])
  if (missing.size > 0) throw new Error(`The clients are to have what the API has not: ${[...missing].join(", ")}`)
  return { ...document, paths: Object.fromEntries(marked) }
}
