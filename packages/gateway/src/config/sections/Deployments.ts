/**
 * `deployments`: which models the gateway may call, and on which terms.
 */
import { Schema } from "effect"
import type { ConfiguredBounds } from "../../core/domain/BoundRules.ts"
import { capabilities } from "../../core/domain/Deployment.ts"
import type { ConfiguredTimeouts, DeploymentSettings } from "../../core/domain/Settings.ts"
import { tierSettings } from "../../core/domain/ServiceTier.ts"
import { child, decoded, fieldOf, says } from "../Decode.ts"
import { list, type Here, type Reader } from "../Reader.ts"
import { name, type Name } from "../Name.ts"
import { didYouMean, listed } from "../Suggest.ts"
import { kindInWords } from "../tree/Tree.ts"
import {
  duration,
  group,
  integer,
  oneOf,
  or,
  positive,
  required,
  someOf,
  text,
  unknownName,
  yesOrNo
} from "../Values.ts"
import { configuredPrice, Price } from "./Price.ts"

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
  const read = decoded(deploymentOf(providers))(here)
  refuseLongResponse(child(here, "timeouts"))

  // Its name counts for what refers to it, whatever else is wrong with it.
  const id = fieldOf(here, "id", text("an id"))
  const provider = fieldOf(here, "provider", text("a provider's name"))
  const model = fieldOf(here, "model", text("a model's name"))
  if (id === undefined && (provider === undefined || model === undefined)) return undefined
  const base = withDefaults({ provider: provider ?? "", model: model ?? "" })
  const settings = read === undefined ? { ...base, id: id ?? base.id } : deploymentSettings(read)
  const idHere = id === undefined ? undefined : child(here, "id")
  const names = idHere === undefined ? [child(here, "provider"), child(here, "model")] : [idHere]
  return { declared: { settings, isFilledIn: names.some((one) => one?.isFilledIn) }, idHere: idHere ?? here }
}

const tokens = integer({ from: 1, to: 1_000_000_000 })

/** None at all may be what is billed, for all but calls. */
const orNone = Schema.optionalKey(integer({ from: 0, to: 1_000_000_000 }))

const Bounds = group({
  image_tokens: orNone,
  video_tokens: orNone,
  file_tokens: orNone,
  page_tokens: orNone,
  part_tokens: orNone,
  audio_tokens_per_second: orNone,
  reasoning_tokens: orNone,
  tool_calls: Schema.optionalKey(integer({ from: 1, to: 1_000 })),
  tool_tokens: orNone
})

const configuredBounds = (bounds: typeof Bounds.Type): ConfiguredBounds => ({
  imageTokens: bounds.image_tokens,
  videoTokens: bounds.video_tokens,
  fileTokens: bounds.file_tokens,
  pageTokens: bounds.page_tokens,
  partTokens: bounds.part_tokens,
  audioTokensPerSecond: bounds.audio_tokens_per_second,
  reasoningTokens: bounds.reasoning_tokens,
  toolCalls: bounds.tool_calls,
  toolTokens: bounds.tool_tokens
})

/** Milliseconds. How long a model may be silent before its first token depends on the model, which the catalogue knows. */
export const defaultTimeouts: ConfiguredTimeouts = {
  connect: 5_000,
  firstToken: undefined,
  response: undefined,
  idle: 60_000,
  total: 900_000
}

const Timeouts = group({
  connect: duration(1).pipe(or(defaultTimeouts.connect)),
  first_token: Schema.optionalKey(duration(1)),
  response: Schema.optionalKey(duration(1)),
  idle: duration(1).pipe(or(defaultTimeouts.idle)),
  total: duration(1).pipe(or(defaultTimeouts.total))
})

const configuredTimeouts = ({ first_token, response, ...others }: typeof Timeouts.Type): ConfiguredTimeouts => ({
  ...others,
  firstToken: first_token,
  response
})

/** A field that is wrong counts as left out here. */
const refuseLongResponse = (here: Here | undefined): void => {
  const response = here && fieldOf(here, "response", duration(1))
  const total = (here && fieldOf(here, "total", duration(1))) ?? defaultTimeouts.total
  if (response !== undefined && response > total) {
    here?.problem(
      `response (${response / 1000}s) is longer than total (${total / 1000}s), which ends every call; make it shorter, or total longer`,
      "at most total"
    )
  }
}

const deploymentOf = (providers: ReadonlyArray<string>) =>
  group({
    id: Schema.optionalKey(text("an id")),
    provider: required(`the name of a provider (${listed(providers)})`, providerOf(providers)),
    model: required("what the provider calls the model", text("a model's name")),
    price: Schema.optionalKey(Price),
    context_window: Schema.optionalKey(tokens),
    max_output_tokens: Schema.optionalKey(tokens),
    weight: positive(1_000_000).pipe(or(1)),
    priority: integer({ from: 0, to: 1_000_000 }).pipe(or(0)),
    max_in_flight: Schema.optionalKey(integer({ from: 1, to: 1_000_000 })),
    timeouts: Schema.optionalKey(Timeouts),
    supports: Schema.optionalKey(someOf("what it can do", oneOf("something a model can do", capabilities))),
    inline_images: Schema.optionalKey(yesOrNo),
    bounds: Schema.optionalKey(Bounds),
    service_tier: Schema.optionalKey(oneOf("a service tier", tierSettings))
  })

const providerOf = (providers: ReadonlyArray<string>) =>
  text("a provider's name").check(
    Schema.makeFilter(
      (name) => providers.includes(name),
      says((here) => unknownName(here, "a provider of this file", providers, "providers"))
    )
  )

const deploymentSettings = (read: ReturnType<typeof deploymentOf>["Type"]): DeploymentSettings => {
  const base = withDefaults(read)
  return {
    ...base,
    id: read.id ?? base.id,
    price: read.price && configuredPrice(read.price),
    contextWindow: read.context_window,
    maxOutputTokens: read.max_output_tokens,
    weight: read.weight,
    priority: read.priority,
    maxInFlight: read.max_in_flight,
    timeouts: read.timeouts ? configuredTimeouts(read.timeouts) : base.timeouts,
    supports: read.supports,
    ...(read.inline_images === undefined ? {} : { inlineImages: read.inline_images }),
    ...(read.bounds === undefined ? {} : { bounds: configuredBounds(read.bounds) }),
    ...(read.service_tier === undefined ? {} : { serviceTier: read.service_tier })
  }
}

interface ModelName {
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
