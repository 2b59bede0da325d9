/** `model_list`: each entry becomes a deployment of some provider, and one of its name's. */
import { shippedCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/Shipped"
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import { infoOf, modeOf } from "./Info.ts"
import { defaultsOfEntry, isDefault } from "./LitellmDefaults.ts"
import { priceOf } from "./LitellmPrice.ts"
import type { Fields, Providers } from "./LitellmProviders.ts"
import { asSetting, looksSecret, variableIn } from "./source/SourceSecrets.ts"
import { secondsOf } from "./source/SourceValues.ts"
import { upstreamOf } from "./LitellmVendors.ts"

/** A share of calls, as LiteLLM's simple-shuffle takes it: by the first of these that the first entry of a name has. */
const SHARES = ["weight", "rpm", "tpm"] as const

export interface Entry {
  readonly cursor: Cursor
  readonly name: string
  readonly params: ReadonlyMap<string, Cursor>
  readonly provider: string
  readonly model: string
  /** But for its id, weight and priority, which depend on others. */
  readonly fields: Fields
}

export interface Defaults {
  /** Seconds, as durations. */
  readonly total: string | undefined
  readonly firstToken: string | undefined
  /** Parameters of requests to all models. */
  readonly params: ReadonlyMap<string, Cursor>
}

interface Means {
  readonly account: Account
  readonly providers: Providers
  readonly credentials: ReadonlyMap<string, Cursor>
  readonly defaults: Defaults
}

/** Undefined where it can't be carried over, which the account says. */
export const entryOf = (cursor: Cursor, means: Means): Entry | undefined => {
  const { account } = means
  const named = cursor.field("model_name")
  const name = named?.text ?? ""
  const written = cursor.field("litellm_params")
  const params = paramsOf(written, means)
  const model = params.get("model")
  const why = whyNot(name, model) ?? notServed(modeOf(cursor.field("model_info")?.fields ?? new Map()))
  const upstream = why ?? upstreamOf(model?.text ?? "", params.get("custom_llm_provider")?.text)
  const provider = typeof upstream === "string" ? { why: upstream } : means.providers.of(upstream, params)
  if (typeof upstream === "string" || "why" in provider) {
    const reason = "why" in provider ? provider.why : ""
    account.say(cursor, "left_out", `this model is not carried over: ${reason}`)
    return undefined
  }
  const profile = profileOf(upstream.vendor?.name, params)
  const called = asSetting(profile?.text ?? upstream.model)
  const to = `deployments: ${provider.name}/${called}`
  account.say(named, "carried", "the name that callers use", "models")
  account.say(model, "carried", "the model that is called", to)
  account.say(profile, "carried", "the model that is called; the other says what it is", to)
  account.say(params.get("custom_llm_provider"), "carried", "the provider", `providers.${provider.name}`)
  const isAny = provider.isServer && isOfUnknownKind(upstream.model, cursor)
  const fields = {
    ...(profile === undefined ? {} : { base_model: asSetting(upstream.model) }),
    ...infoOf(infoWith(cursor, params), upstream.vendor?.name, to, account),
    ...(upstream.isResponses === true ? { operations: ["responses"] } : isAny ? { operations: "any" } : {}),
    ...pricing(cursor, params, to, account),
    ...parallel(params, to, account),
    ...timeouts(params, means.defaults, to, account),
    ...defaultsOfEntry(params, to, account),
    ...regionOf(params, to, account)
  }
  return { cursor, name, params, provider: provider.name, model: called, fields }
}

/** Neither the file nor the model's name says what it serves. */
const isOfUnknownKind = (model: string, entry: Cursor): boolean =>
  entry.field("model_info")?.field("mode") === undefined &&
  shippedCatalogue().find("openai-compatible", model).facts.operations === undefined

/** Kinds of calls that LiteLLM has and this gateway has not. */
const NOT_SERVED = new Set(["realtime", "video_generation", "ocr", "search", "vector_store"])

const notServed = (mode: string): string | undefined =>
  NOT_SERVED.has(mode) ? `its mode is ${mode}, and this gateway has no operation of that kind` : undefined

const whyNot = (name: string, model: Cursor | undefined): string | undefined => {
  if (name === "") return "it has no model_name"
  if (looksSecret(name)) return "its model_name looks like a key"
  if (model?.text === undefined || model.text === "") return "litellm_params has no model"
  if (variableIn(model.text) !== undefined) {
    return "its model is a variable, which does not name the provider: write <provider>/<model>"
  }
  const stars = (text: string) => text.split("*").length - 1
  if (stars(model.text) > 1 || (stars(model.text) === 1 && stars(name) !== 1)) {
    return "one * in model_name and one in model stand for the same part of a name; list the models, as <provider>/<model> under deployments"
  }
  if (/^vertex_ai(_beta)?\/(gemini\/)?\d+$/.test(model.text)) {
    return "it is an endpoint of a tuned model; Vertex's models are called by their names here"
  }
  return looksSecret(model.text) ? "its model looks like a key" : undefined
}

/** Of Bedrock: the ARN of an inference profile of one's own. */
const profileOf = (vendor: string | undefined, params: ReadonlyMap<string, Cursor>): Cursor | undefined => {
  const profile = params.get("model_id")
  return vendor === "bedrock" && /^arn:aws[\w-]*:bedrock:/.test(profile?.text ?? "") ? profile : undefined
}

/** `base_model` may stand beside the model as well. */
const infoWith = (cursor: Cursor, params: ReadonlyMap<string, Cursor>): ReadonlyMap<string, Cursor> => {
  const info = cursor.field("model_info")?.fields ?? new Map<string, Cursor>()
  const base = params.get("base_model")
  return base === undefined || info.has("base_model") ? info : new Map([...info, ["base_model", base]])
}

/** What the entry has itself wins over the credential that it names. */
const paramsOf = (
  written: Cursor | undefined,
  { account, credentials, defaults }: Means
): ReadonlyMap<string, Cursor> => {
  const said = written?.fields ?? new Map<string, Cursor>()
  const own = new Map([...[...defaults.params].filter(([name]) => isDefault(name)), ...said])
  const named = own.get("litellm_credential_name")
  const credential = credentials.get(named?.text ?? "")
  if (credential === undefined) {
    account.say(named, "left_out", "no credential of that name stands in credential_list")
    return own
  }
  account.say(named, "carried", "the credential's values are the provider's", "providers")
  return new Map([...credential.fields, ...own])
}

const pricing = (cursor: Cursor, params: ReadonlyMap<string, Cursor>, to: string, account: Account): Fields => {
  const info = cursor.field("model_info")?.fields ?? new Map<string, Cursor>()
  const price = priceOf(new Map([...info, ...params]), modeOf(info) === "embedding", `${to}.price`, account)
  return price === undefined ? {} : { price }
}

const parallel = (params: ReadonlyMap<string, Cursor>, to: string, account: Account): Fields => {
  const found = params.get("max_parallel_requests")
  const value = found?.number
  const fits = value !== undefined && Number.isInteger(value) && value >= 1 && value <= 1_000_000
  account.say(found, fits ? "carried" : "left_out", "calls at a time", `${to}.max_in_flight`)
  return fits ? { max_in_flight: value } : {}
}

const timeouts = (params: ReadonlyMap<string, Cursor>, defaults: Defaults, to: string, account: Account): Fields => {
  const total = secondsOf(params.get("timeout"))
  const first = secondsOf(params.get("stream_timeout"))
  account.say(
    params.get("timeout"),
    total === undefined ? "left_out" : "carried",
    "for a whole call",
    `${to}.timeouts.total`
  )
  account.say(
    params.get("stream_timeout"),
    first === undefined ? "left_out" : "carried",
    "for the first token of a stream",
    `${to}.timeouts.first_token`
  )
  const found = {
    ...((first ?? defaults.firstToken) === undefined ? {} : { first_token: first ?? defaults.firstToken }),
    ...((total ?? defaults.total) === undefined ? {} : { total: total ?? defaults.total })
  }
  return Object.keys(found).length === 0 ? {} : { timeouts: found }
}

const regionOf = (params: ReadonlyMap<string, Cursor>, to: string, account: Account): Fields => {
  const found = params.get("region_name")
  const region = /^[\w-]{1,64}$/.exec(found?.text ?? "")?.[0]
  account.say(found, region === undefined ? "left_out" : "carried", "a tag that keys can require", `${to}.region`)
  return region === undefined ? {} : { region }
}

const NEVER = 0.000_001
const LARGEST = 1_000_000

/** The weights of the entries of one name, in their order; undefined where all are alike. */
export const weightsOf = (entries: ReadonlyArray<Entry>, account: Account): ReadonlyArray<number> | undefined => {
  const by = SHARES.find((share) => (entries[0]?.params.get(share)?.number ?? 0) > 0)
  for (const { params, provider, model } of entries) {
    for (const share of SHARES) {
      const found = params.get(share)
      if (share === by && entries.length > 1) {
        const isLimit = share !== "weight"
        account.say(
          found,
          isLimit ? "changed" : "carried",
          isLimit
            ? "the share of calls; not a limit any more: max_in_flight bounds calls at a time, and keys have limits"
            : "the share of calls",
          `deployments: ${provider}/${model}.weight`
        )
      } else if (share === "weight") account.say(found, "not_needed", "it is the only one of its name")
      else
        account.say(
          found,
          "left_out",
          "deployments have no limit by the minute; max_in_flight bounds calls at a time, and keys have rpm and tpm limits"
        )
    }
  }
  if (by === undefined || entries.length < 2) return undefined
  const weights = entries.map(({ params }) => Math.max(params.get(by)?.number ?? 0, 0))
  const scale = Math.max(1, Math.max(...weights) / LARGEST)
  return weights.map((weight) => Math.max(Number((weight / scale).toPrecision(6)), NEVER))
}
