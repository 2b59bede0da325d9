/** `deployments`: which models the gateway may call, and on which terms. */
import { Schema } from "effect"
import { capabilities } from "../../core/domain/Deployment.ts"
import { operationNames } from "../../core/domain/OperationName.ts"
import { type ConfiguredTimeouts, type DeploymentSettings, schemaSettings } from "../../core/domain/Settings.ts"
import { tierSettings } from "../../core/domain/pricing/ServiceTier.ts"
import { refuse, type Mistake, DecodedTable, refuseWith } from "../Decode.ts"
import { type Here, quoted } from "../Here.ts"
import { type ModelName, splitName } from "../SettingNames.ts"
import { didYouMean, listed } from "../../core/collections/Suggest.ts"
import {
  duration,
  group,
  integer,
  oneOf,
  or,
  orEmpty,
  positive,
  readBy,
  required,
  someOf,
  text,
  textOf,
  whyNoText,
  yesOrNo,
  camelCased
} from "../SettingValues.ts"
import { presetFields, presetsOf } from "./PresetsSection.ts"
import { configuredPrice, Price } from "./PriceSection.ts"

/** The name that callers use for the router. */
export const AUTO = "auto"
export const RESERVED = `"${AUTO}" is reserved: it selects the router`

const FORM = "<provider>/<model>, or a group with provider and model"

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
  tool_tokens: orNone,
  tokens_per_o200k: Schema.optionalKey(positive(100))
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

const modelName = text("a model's name").check(
  refuseWith("one *", (name) =>
    name.split("*").length > 2
      ? 'a model has one "*" at most, which stands for what callers put in its place'
      : undefined
  )
)

/** `any`: what no bridge serves through chat is called as the protocol has it. */
const BRIDGED = new Set<string>(
  "responses messages count_tokens generate_content count_content_tokens completions".split(" ")
)

const ANY_OPERATION: ReadonlyArray<string> = operationNames.filter((name) => !BRIDGED.has(name))

const deploymentOf = (providers: ReadonlyArray<string>) =>
  readBy(
    longForm,
    group(
      {
        id: Schema.optionalKey(text("an id")),
        provider: required(`the name of a provider (${listed(providers)})`, providerOf(providers)),
        model: required("what the provider calls the model", modelName),
        base_model: Schema.optionalKey(text("the model that it is, by its maker's name")),
        price: Schema.optionalKey(Price),
        context_window: Schema.optionalKey(tokens),
        max_output_tokens: Schema.optionalKey(tokens),
        weight: positive(1_000_000).pipe(or(1)),
        priority: integer({ from: 0, to: 1_000_000 }).pipe(or(0)),
        max_in_flight: Schema.optionalKey(integer({ from: 1, to: 1_000_000 })),
        timeouts: Timeouts.pipe(orEmpty),
        supports: Schema.optionalKey(someOf("what it can do", oneOf("something a model can do", capabilities))),
        operations: Schema.optionalKey(
          readBy(
            (written) => (textOf(written) === "any" ? ANY_OPERATION : written),
            someOf("what it serves, or any", oneOf("an operation", operationNames))
          )
        ),
        inline_images: Schema.optionalKey(yesOrNo),
        media_hosts: Schema.optionalKey(someOf("hosts", text("a host such as files.internal"))),
        one_choice: Schema.optionalKey(yesOrNo),
        json_schema: Schema.optionalKey(oneOf("a way to follow a JSON schema", schemaSettings)),
        bounds: Schema.optionalKey(Bounds),
        service_tier: Schema.optionalKey(oneOf("a service tier", tierSettings)),
        caller_billing: Schema.optionalKey(oneOf("who decides who pays the provider", ["allow", "deny"])),
        ...presetFields,
        region: Schema.optionalKey(text("a region such as eu")),
        zdr: Schema.optionalKey(yesOrNo)
      },
      { expected: FORM, problem: whyNoDeployment }
    )
  )

const longForm = (written: unknown): unknown => {
  const name = textOf(written)
  const parts = typeof name === "string" ? splitName(name) : undefined
  if (parts !== undefined) return new DecodedTable(Object.entries(parts))
  return written instanceof DecodedTable ? written : undefined
}

const whyNoDeployment = (here: Here): Mistake | undefined =>
  here.text === undefined || here.text.trim() === ""
    ? whyNoText(here, FORM)
    : { message: `${here.shown} is not ${FORM}`, allowed: FORM }

const providerOf = (providers: ReadonlyArray<string>) =>
  text("a provider's name").check(
    refuse((name) => (providers.includes(name) ? undefined : (here) => unknownProvider(name, here, providers)))
  )

const unknownProvider = (name: string, { isFilledIn, shown }: Here, providers: ReadonlyArray<string>): Mistake => {
  const found = isFilledIn ? shown : quoted(name)
  const allowed = listed(providers)
  const message = `${found} is not a provider of this file${didYouMean(name, providers)} (providers: ${allowed})`
  return { message, allowed, found }
}

export const deploymentsOf = (providers: ReadonlyArray<string>) => someOf(FORM, deploymentOf(providers))

export const deploymentSettings = (read: ReturnType<typeof deploymentOf>["Type"]): DeploymentSettings => {
  const { bounds, caller_billing, defaults, fixed, media_hosts, price, region, timeouts, ...same } = read
  const base = withDefaults(read)
  return {
    ...base,
    ...camelCased(same),
    id: read.id ?? base.id,
    price: price && configuredPrice(price),
    timeouts: { ...defaultTimeouts, ...camelCased(timeouts) },
    ...(media_hosts === undefined ? {} : { mediaHosts: media_hosts.map((host) => host.toLowerCase()) }),
    ...(bounds === undefined ? {} : { bounds: camelCased(bounds) }),
    ...(caller_billing === "allow" ? { callerBilling: caller_billing } : {}),
    ...presetsOf({ ...(defaults && { defaults }), ...(fixed && { fixed }) }),
    ...(region === undefined ? {} : { region: region.toLowerCase() })
  }
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
