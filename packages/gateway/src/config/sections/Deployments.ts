/**
 * `deployments`: which models the gateway may call, and on which terms.
 */
import type { ConfiguredBounds } from "../../core/domain/BoundRules.ts"
import { capabilities } from "../../core/domain/Deployment.ts"
import type { ConfiguredTimeouts, DeploymentSettings } from "../../core/domain/Settings.ts"
import { tierSettings } from "../../core/domain/ServiceTier.ts"
import { Fields, list, type Here, type Reader } from "../Reader.ts"
import { duration, integer, name, oneOf, positive, yesOrNo, type Name } from "../Scalars.ts"
import { didYouMean, listed } from "../Suggest.ts"
import { kindInWords } from "../tree/Tree.ts"
import { readPrice } from "./Price.ts"

/** The name that callers use for the router. */
export const AUTO = "auto"

export interface Declared {
  readonly settings: DeploymentSettings
  /** Part of the id came from outside the file: it must not be shown in messages. */
  readonly isFilledIn: boolean
}

const FORM = "<provider>/<model>, or a group with provider and model"

export const readDeployments = (here: Here, providers: ReadonlyArray<string>): ReadonlyArray<Declared> => {
  const byId = new Map<string, { readonly declared: Declared; readonly here: Here }>()
  const readOne: Reader<Declared> = (one) => {
    const read = one.node.kind === "scalar" ? readShort(one, providers) : readLong(one, providers)
    if (read === undefined) return undefined
    const { declared, idHere } = read
    const id = declared.settings.id
    const first = byId.get(id)
    if (first !== undefined) {
      idHere.problem(
        `${declared.isFilledIn ? "this id" : JSON.stringify(id)} is the id of ${first.here.path} (line ${first.here.at.line}) already; give one of them another id`,
        "an id of its own"
      )
    } else if (id === AUTO) {
      idHere.problem(`"${AUTO}" is reserved: it is how callers ask for the router`, "another id")
    } else byId.set(id, { declared, here: one })
    return declared
  }
  list(FORM, readOne)(here)
  return [...byId.values()].map((one) => one.declared)
}

interface Read {
  readonly declared: Declared
  /** Where a problem with the id is to be shown. */
  readonly idHere: Here
}

const readShort = (here: Here, providers: ReadonlyArray<string>): Read | undefined => {
  const given = name(FORM)(here)
  if (given === undefined) return undefined
  const parts = splitName(given.value)
  if (parts === undefined) return here.expected(FORM)
  if (!providers.includes(parts.provider)) unknownProvider(given, parts, providers)
  return { declared: { settings: withDefaults(parts), isFilledIn: here.isFilledIn }, idHere: here }
}

const readLong = (here: Here, providers: ReadonlyArray<string>): Read | undefined => {
  if (here.node.kind !== "table") return here.expected(FORM, kindInWords(here.node))
  const fields = new Fields(here, [
    "id",
    "provider",
    "model",
    "price",
    "context_window",
    "max_output_tokens",
    "weight",
    "priority",
    "max_in_flight",
    "timeouts",
    "supports",
    "inline_images",
    "bounds",
    "service_tier"
  ])
  const providerList = listed(providers)
  const provider = fields.require("provider", `the name of a provider (${providerList})`, name("a provider's name"))
  const model = fields.require("model", "what the provider calls the model", name("a model's name"))
  const id = fields.get("id", name("an id"))
  const bounds = fields.get("bounds", readBounds)
  const inlineImages = fields.get("inline_images", yesOrNo)
  const serviceTier = fields.get("service_tier", oneOf("a service tier", tierSettings))
  if (provider !== undefined && !providers.includes(provider.value)) {
    provider.here.unknownName(provider.value, "a provider of this file", "providers", providers)
  }

  const base = withDefaults({ provider: provider?.value ?? "", model: model?.value ?? "" })
  const settings = {
    ...base,
    id: id?.value ?? base.id,
    price: fields.get("price", readPrice),
    contextWindow: fields.get("context_window", tokens),
    maxOutputTokens: fields.get("max_output_tokens", tokens),
    weight: fields.get("weight", positive(1_000_000)) ?? base.weight,
    priority: fields.get("priority", integer({ from: 0, to: 1_000_000 })) ?? base.priority,
    maxInFlight: fields.get("max_in_flight", integer({ from: 1, to: 1_000_000 })),
    timeouts: fields.get("timeouts", readTimeouts) ?? base.timeouts,
    supports: fields.get("supports", list("what it can do", oneOf("something a model can do", capabilities))),
    ...(inlineImages === undefined ? {} : { inlineImages }),
    ...(bounds === undefined ? {} : { bounds }),
    ...(serviceTier === undefined ? {} : { serviceTier })
  }
  if (id === undefined && (provider === undefined || model === undefined)) return undefined
  const names = id === undefined ? [provider, model] : [id]
  const isFilledIn = names.some((one) => one?.here.isFilledIn)
  return { declared: { settings, isFilledIn }, idHere: id?.here ?? here }
}

const tokens = integer({ from: 1, to: 1_000_000_000 })

/** None at all may be what is billed, for all but calls. */
const orNone = integer({ from: 0, to: 1_000_000_000 })

const readBounds: Reader<ConfiguredBounds> = (here) => {
  const fields = new Fields(here, [
    "image_tokens",
    "video_tokens",
    "file_tokens",
    "page_tokens",
    "part_tokens",
    "audio_tokens_per_second",
    "reasoning_tokens",
    "tool_calls",
    "tool_tokens"
  ])
  return {
    imageTokens: fields.get("image_tokens", orNone),
    videoTokens: fields.get("video_tokens", orNone),
    fileTokens: fields.get("file_tokens", orNone),
    pageTokens: fields.get("page_tokens", orNone),
    partTokens: fields.get("part_tokens", orNone),
    audioTokensPerSecond: fields.get("audio_tokens_per_second", orNone),
    reasoningTokens: fields.get("reasoning_tokens", orNone),
    toolCalls: fields.get("tool_calls", integer({ from: 1, to: 1_000 })),
    toolTokens: fields.get("tool_tokens", orNone)
  }
}

/** Milliseconds. How long a model may be silent before its first token depends on the model, which the catalogue knows. */
export const defaultTimeouts: ConfiguredTimeouts = {
  connect: 5_000,
  firstToken: undefined,
  response: undefined,
  idle: 60_000,
  total: 900_000
}

const readTimeouts: Reader<ConfiguredTimeouts> = (here) => {
  const fields = new Fields(here, ["connect", "first_token", "response", "idle", "total"])
  const timeouts = {
    connect: fields.get("connect", duration(1)) ?? defaultTimeouts.connect,
    firstToken: fields.get("first_token", duration(1)) ?? defaultTimeouts.firstToken,
    response: fields.get("response", duration(1)) ?? defaultTimeouts.response,
    idle: fields.get("idle", duration(1)) ?? defaultTimeouts.idle,
    total: fields.get("total", duration(1)) ?? defaultTimeouts.total
  }
  const { response, total } = timeouts
  if (response !== undefined && response > total) {
    here.problem(
      `response (${response / 1000}s) is longer than total (${total / 1000}s), which ends every call; make it shorter, or total longer`,
      "at most total"
    )
  }
  return timeouts
}

export interface ModelName {
  readonly provider: string
  readonly model: string
}

/** `<provider>/<model>` in two; models may have slashes, providers can't. */
export const splitName = (text: string): ModelName | undefined => {
  const slash = text.indexOf("/")
  return slash <= 0 || slash === text.length - 1
    ? undefined
    : { provider: text.slice(0, slash), model: text.slice(slash + 1) }
}

/** The settings of a deployment of which only the name is given. */
export const withDefaults = ({ provider, model }: ModelName): DeploymentSettings => ({
  id: `${provider}/${model}`,
  provider,
  model,
  price: undefined,
  contextWindow: undefined,
  maxOutputTokens: undefined,
  weight: 1,
  priority: 0,
  maxInFlight: undefined,
  timeouts: defaultTimeouts,
  supports: undefined
})

const unknownProvider = ({ here }: Name, { provider }: ModelName, providers: ReadonlyArray<string>): void => {
  const guess = didYouMean(provider, providers)
  const what = here.isFilledIn ? here.shown : JSON.stringify(provider)
  here.problem(
    `${what} is not a provider of this file${guess} (providers: ${listed(providers)})`,
    listed(providers),
    what
  )
}
