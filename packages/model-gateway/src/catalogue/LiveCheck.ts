/**
 * Requests each configured provider's list of models: whether it responds, accepts the keys, and has the configured models. No request
 * costs anything. Messages of providers are not repeated: they may quote a key.
 */
import { Effect, Redacted } from "effect"
import { matchesGlob } from "@model-gateway/gateway/internal/core/collections/Glob"
import type { Deployment } from "@model-gateway/gateway/internal/core/domain/Deployment"
import { noOptions } from "@model-gateway/gateway/internal/core/domain/ProviderOptions"
import type { AuthFailed, ReadyAuth } from "@model-gateway/gateway/internal/core/pool/Auth"
import { type Transport, type TransportFailure, transportBy } from "@model-gateway/gateway/internal/core/pool/Transport"
import type { ModelList, Vendor } from "@model-gateway/gateway/internal/core/pool/Vendor"
import { parseJson } from "@model-gateway/gateway/internal/providers/json/BoundedJson"
import { namesIn } from "./VendorModelList.ts"
import type { Registry } from "@model-gateway/gateway/internal/providers/catalogue/ProviderRegistry"

/**
 * The result of a provider for one key, or without a key. `models`: those that it has; undefined where its list has other names, or it has
 * no list.
 */
export type KeyAnswer =
  | { readonly kind: "taken"; readonly models: ReadonlySet<string> | undefined }
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "waiting"; readonly status: number }
  | { readonly kind: "unreachable"; readonly why: string }

/** `unknown`: there is no list. */
export type Presence = "there" | "missing" | "unknown"

export interface ProviderCheck {
  readonly name: string
  /** In the order of its keys; one if it has none. Empty: it has no list of models. */
  readonly keys: ReadonlyArray<KeyAnswer>
  readonly hasKeys: boolean
  readonly deployments: ReadonlyArray<{ readonly id: string; readonly model: string; readonly presence: Presence }>
}

/** Short: a person waits for the result. */
const TIMEOUTS = { connect: 5_000, firstToken: 10_000, idle: 10_000, total: 15_000 }
/** OpenRouter's list has hundreds of models, each with a description. */
const LARGEST_LIST = 32 * 1024 * 1024
const AT_ONCE = 8

const MODELS: ModelList = { path: "/models" }

/** All of them, in the order of `deployments`. */
export const checkProviders = (
  deployments: ReadonlyArray<Deployment>,
  { vendors }: Pick<Registry, "vendors">,
  transport: Transport["Service"]
): Effect.Effect<ReadonlyArray<ProviderCheck>> => {
  const byProvider = new Map<string, Array<Deployment>>()
  for (const one of deployments) byProvider.set(one.provider, [...(byProvider.get(one.provider) ?? []), one])
  return Effect.forEach(byProvider, ([name, own]) => checkProvider(name, own, vendors.get(own[0]!.vendor), transport), {
    concurrency: AT_ONCE
  })
}

const checkProvider = Effect.fnUntraced(function* (
  name: string,
  deployments: ReadonlyArray<Deployment>,
  vendor: Vendor | undefined,
  transport: Transport["Service"]
): Effect.fn.Return<ProviderCheck> {
  const { apiKeys, connection, options = noOptions } = deployments[0]!
  const list = vendor?.modelList === undefined ? MODELS : vendor.modelList
  const hasKeys = apiKeys.length > 0
  if (list === null || vendor === undefined) return { name, hasKeys, keys: [], deployments: deployments.map(unasked) }
  const auth =
    vendor.auth.kind === "perProvider"
      ? vendor.auth.make({ options, hasKeys, transport: transportBy(connection, transport) })
      : vendor.auth
  const keys = yield* Effect.forEach(
    hasKeys ? apiKeys : [undefined],
    (key) => ask(deployments[0]!, list, auth, key, transport),
    { concurrency: AT_ONCE }
  )
  const known = keys.flatMap((answer) =>
    answer.kind === "taken" && answer.models !== undefined ? [answer.models] : []
  )
  return {
    name,
    hasKeys,
    keys,
    deployments: deployments.map(({ id, model }) => ({ id, model, presence: presenceOf(model, known) }))
  }
})

const unasked = ({ id, model }: Deployment) => ({ id, model, presence: "unknown" as const })

const ask = (
  { baseUrl, connection, query }: Deployment,
  { headers = {}, namesOthers = false, path }: ModelList,
  auth: ReadyAuth,
  key: Redacted.Redacted<string> | undefined,
  transport: Transport["Service"]
): Effect.Effect<KeyAnswer> => {
  const request = {
    baseUrl,
    path: query === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`,
    method: "GET" as const,
    headers: { accept: "application/json", ...headers },
    body: "",
    timeouts: TIMEOUTS,
    largestAnswer: LARGEST_LIST,
    connection
  }
  const own =
    auth.kind === "perRequest"
      ? auth.headers(request, key)
      : Effect.succeed(key === undefined ? {} : auth.headers(Redacted.value(key)))
  return own.pipe(
    Effect.flatMap((more) => transport.whole({ ...request, headers: { ...request.headers, ...more } })),
    Effect.map(({ status, text }): KeyAnswer => {
      if (status === 401 || status === 403) return { kind: "refused", status }
      if (status === 429) return { kind: "waiting", status }
      // An API without a list of models.
      if (status === 404 || status === 405) return { kind: "taken", models: undefined }
      if (status >= 400) return { kind: "unreachable", why: `it responded with status ${status}` }
      const models = namesIn(parseJson(text))
      if (models === undefined) return { kind: "unreachable", why: "its response is not a list of models" }
      return { kind: "taken", models: namesOthers ? undefined : models }
    }),
    Effect.catch(({ _tag, message }: AuthFailed | TransportFailure) =>
      Effect.succeed<KeyAnswer>(
        _tag === "AuthFailed" ? { kind: "refused", status: 0 } : { kind: "unreachable", why: message }
      )
    )
  )
}

/** What any of the keys may call is there. */
const presenceOf = (model: string, known: ReadonlyArray<ReadonlySet<string>>): Presence => {
  if (known.length === 0) return "unknown"
  // Any of its models will do for a wildcard.
  if (model.includes("*"))
    return known.some((models) => [...models].some((one) => matchesGlob(model, one))) ? "there" : "missing"
  const spellings = [model, `${model}:latest`, model.replace(/:[\w.-]+$/, "")]
  return known.some((models) => spellings.some((one) => models.has(one))) ? "there" : "missing"
}
