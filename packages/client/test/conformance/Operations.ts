/** Every operation that the clients have, and the call of this client that it is: a missing one does not compile. */
import type { CallOptions, Gateway, Operations } from "../../src/index.ts"

export interface Asked {
  readonly params: Record<string, string>
  readonly query: Record<string, never>
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies come from a file
  readonly body: any
  readonly stream: boolean
  readonly parse: boolean
  readonly options: CallOptions
}

type Done = PromiseLike<unknown> | AsyncIterable<unknown>

export const calls: { readonly [Name in keyof Operations]: (gateway: Gateway, asked: Asked) => Done } = {
  createChatCompletion: ({ chat: { completions } }, { body, options, parse, stream }) => {
    if (parse) return completions.parse(body, options)
    return stream ? completions.stream(body, options) : completions.create(body, options)
  },
  createResponse: ({ responses }, { body, options, stream }) =>
    stream ? responses.stream(body, options) : responses.create(body, options),
  getResponse: ({ responses }, { options, params, query, stream }) =>
    stream ? responses.replay(id(params), query, options) : responses.get(id(params), query, options),
  deleteResponse: ({ responses }, { options, params }) => responses.delete(id(params), options),
  cancelResponse: ({ responses }, { options, params }) => responses.cancel(id(params), options),
  listInputItems: ({ responses }, { options, params, query }) => responses.inputItems(id(params), query, options),
  compactResponse: ({ responses }, { body, options }) => responses.compact(body, options),
  countInputTokens: ({ responses }, { body, options }) => responses.countInputTokens(body, options),
  createMessage: ({ messages }, { body, options, stream }) =>
    stream ? messages.stream(body, options) : messages.create(body, options),
  countTokens: ({ messages }, { body, options }) => messages.countTokens(body, options),
  createCompletion: ({ completions }, { body, options, stream }) =>
    stream ? completions.stream(body, options) : completions.create(body, options),
  createEmbeddings: ({ embeddings }, { body, options }) => embeddings.create(body, options),
  createModeration: ({ moderations }, { body, options }) => moderations.create(body, options),
  createRanking: ({ rerank }, { body, options }) => rerank.create(body, options),
  createTranscription: ({ audio: { transcriptions } }, { body, options, stream }) =>
    stream ? transcriptions.stream(body, options) : transcriptions.create(body, options),
  createTranslation: ({ audio: { translations } }, { body, options }) => translations.create(body, options),
  createSpeech: ({ audio: { speech } }, { body, options, stream }) =>
    stream ? speech.stream(body, options) : speech.create(body, options),
  createImage: ({ images }, { body, options, stream }) =>
    stream ? images.stream(body, options) : images.generate(body, options),
  editImage: ({ images }, { body, options }) => images.edit(body, options),
  varyImage: ({ images }, { body, options }) => images.createVariation(body, options),
  listModels: ({ models }, { options }) => models.list(options),
  getModel: ({ models }, { options, params }) => models.get(id(params), options),
  getOwnKey: ({ key }, { options, query }) => key.get(query, options),
  getReceipt: ({ receipts }, { options, params }) => receipts.get(id(params), options),
  giveFeedback: ({ receipts }, { body, options, params }) => receipts.feedback(id(params), body, options),
  createKey: ({ admin: { keys } }, { body, options }) => keys.create(body, options),
  listKeys: ({ admin: { keys } }, { options, query }) => keys.list(query, options),
  getKey: ({ admin: { keys } }, { options, params }) => keys.get(id(params), options),
  updateKey: ({ admin: { keys } }, { body, options, params }) => keys.update(id(params), body, options),
  revokeKey: ({ admin: { keys } }, { options, params }) => keys.revoke(id(params), options),
  rotateKey: ({ admin: { keys } }, { body, options, params }) => keys.rotate(id(params), body, options),
  listTeams: ({ admin: { teams } }, { options, query }) => teams.list(query, options),
  deleteTeam: ({ admin: { teams } }, { options, params, query }) => teams.delete(params["team"] ?? "", query, options),
  getTeam: ({ admin: { teams } }, { options, params }) => teams.get(params["team"] ?? "", options),
  putTeam: ({ admin: { teams } }, { body, options, params }) => teams.put(params["team"] ?? "", body, options),
  listDeployments: ({ admin: { deployments } }, { options }) => deployments.list(options),
  disableDeployments: ({ admin: { deployments } }, { body, options }) => deployments.disable(body, options),
  enableDeployments: ({ admin: { deployments } }, { body, options }) => deployments.enable(body, options),
  resetDeployments: ({ admin: { deployments } }, { body, options }) => deployments.reset(body, options),
  listBudgets: ({ admin }, { options, query }) => admin.budgets(query, options),
  getTraffic: ({ admin }, { options, query }) => admin.traffic(query, options),
  getSpend: ({ admin }, { options, query }) => admin.spend(query, options),
  listRequests: ({ admin: { requests } }, { options, query }) => requests.list(query, options),
  getRequest: ({ admin: { requests } }, { options, params }) => requests.get(id(params), options),
  explainRoute: ({ admin }, { body, options }) => admin.explain(body, options),
  getConfig: ({ admin }, { options }) => admin.config(options),
  reloadConfig: ({ admin }, { options }) => admin.reload(options),
  getInfo: ({ admin }, { options }) => admin.info(options),
  listNodes: ({ admin }, { options }) => admin.nodes(options),
  listAudit: ({ admin }, { options, query }) => admin.audit(query, options)
}

const id = (params: Record<string, string>): string => params["id"] ?? ""
