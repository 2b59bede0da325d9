/** `provider` and `models` of a request: read, and taken out of what providers are sent. */
import { Predicate, Result } from "effect"
import { type Choice, type MaxPrice, maxPriceKinds, type Sort, sorts } from "../domain/Choice.ts"
import type { InvalidField } from "../domain/Errors.ts"
import { type JsonObject, without } from "../domain/Json.ts"
import type { CallRequest } from "./CallRequest.ts"
import { readFlag, wrong } from "./ParseFields.ts"
import { found, given } from "./RequestScan.ts"

const MOST_NAMES = 64
const LONGEST_NAME = 128

/** Nothing is said of the providers. */
export const anyProvider: Choice = {
  models: [],
  order: undefined,
  only: undefined,
  ignore: [],
  allowFallbacks: true,
  sort: undefined,
  maxPrice: undefined,
  requireParameters: false,
  zdr: false,
  foreign: [],
  wishes: [],
  provider: undefined,
  at: 0,
  mostInput: undefined
}

const FIELDS = ["provider", "models", "route"]
/** A caller's name of its session, which no provider is sent. */
const SESSION = "session_id"

/** The request itself where it says nothing of them. `now`: epoch milliseconds. */
export const withChoice = (request: CallRequest, now: () => number): Result.Result<CallRequest, InvalidField> =>
  FIELDS.every((name) => request.body[name] === undefined)
    ? Result.succeed(
        request.body[SESSION] === undefined ? request : { ...request, body: without(request.body, [SESSION]) }
      )
    : Result.gen(function* () {
        const { body } = request
        const models = yield* names(body["models"], "models")
        const provider = yield* objectIn(body["provider"], "provider")
        const choice: Choice = {
          ...(yield* providerIn(provider)),
          models: models ?? [],
          at: now()
        }
        return choosing(choice, { ...request, body: without(body, [...FIELDS, SESSION]) })
      })

export const choosing = (choice: Choice, request: CallRequest): CallRequest => ({
  ...request,
  choice: { ...choice, mostInput: request.media.length === 0 ? request.textBound : undefined }
})

/** Wishes of `provider` that exclude nothing. Only OpenRouter follows them; elsewhere they are named as dropped. */
const WISHES = new Set(["preferred_min_throughput", "preferred_max_latency"])

/** Fields of `provider` that the gateway honours at every provider. */
const OWN = new Set("order only ignore allow_fallbacks sort max_price require_parameters zdr".split(" "))

const providerIn = (provider: JsonObject | undefined): Result.Result<Choice, InvalidField> =>
  provider === undefined
    ? Result.succeed(anyProvider)
    : Result.gen(function* () {
        const others = Object.keys(provider).filter(
          (name) =>
            !OWN.has(name) &&
            given(provider[name]) !== undefined &&
            !(name === "data_collection" && provider[name] === "allow")
        )
        return {
          ...anyProvider,
          order: yield* slugs(provider, "order"),
          only: yield* slugs(provider, "only"),
          ignore: (yield* slugs(provider, "ignore")) ?? [],
          allowFallbacks: (yield* readFlag(provider, "allow_fallbacks", "provider.")) ?? true,
          sort: yield* sortIn(provider["sort"]),
          maxPrice: yield* maxPriceIn(provider["max_price"]),
          requireParameters: (yield* readFlag(provider, "require_parameters", "provider.")) ?? false,
          zdr: (yield* readFlag(provider, "zdr", "provider.")) ?? false,
          foreign: others.filter((name) => !WISHES.has(name)),
          wishes: others.filter((name) => WISHES.has(name)).map((name) => `provider.${name}`),
          provider
        }
      })

const objectIn = (value: unknown, param: string): Result.Result<JsonObject | undefined, InvalidField> =>
  given(value) === undefined
    ? Result.succeed(undefined)
    : Predicate.isObject(value)
      ? Result.succeed(value as JsonObject)
      : wrong(param, `\`${param}\` must be an object, ${found(value)}`)

const isName = (one: unknown) => typeof one === "string" && one !== "" && one.length <= LONGEST_NAME

const names = (value: unknown, param: string): Result.Result<ReadonlyArray<string> | undefined, InvalidField> =>
  given(value) === undefined
    ? Result.succeed(undefined)
    : Array.isArray(value) && value.length <= MOST_NAMES && value.every(isName)
      ? Result.succeed(value as ReadonlyArray<string>)
      : wrong(param, `\`${param}\` must be a list of at most ${MOST_NAMES} names, ${found(value)}`)

/** OpenRouter's names of vendors that have another name here. */
const SPELLINGS = new Map([
  ["amazon-bedrock", "bedrock"],
  ["google-vertex", "vertex"],
  ["alibaba", "qwen"],
  ["moonshotai", "moonshot"],
  ["x-ai", "xai"],
  ["z-ai", "zai"]
])

const slugs = (provider: JsonObject, name: string) =>
  Result.map(names(provider[name], `provider.${name}`), (list) =>
    list?.map((slug) => SPELLINGS.get(slug.toLowerCase()) ?? slug.toLowerCase())
  )

const sortIn = (value: unknown): Result.Result<Sort | undefined, InvalidField> => {
  if (given(value) === undefined) return Result.succeed(undefined)
  const isGroup = Predicate.isObject(value)
  const { by, partition = "model" } = (isGroup ? value : { by: value }) as JsonObject
  const sort = sorts.find((one) => one === by)
  if (sort !== undefined && partition === "model") return Result.succeed(sort)
  const [param, allowed] =
    sort === undefined ? ["provider.sort", sorts.join(", ")] : ["provider.sort.partition", '"model"']
  return wrong(param, `\`${param}\` must be ${allowed}, ${found(sort === undefined ? by : partition)}`)
}

/** A number may be text, as OpenRouter takes it. */
const maxPriceIn = (value: unknown): Result.Result<MaxPrice | undefined, InvalidField> =>
  Result.flatMap(objectIn(value, "provider.max_price"), (prices = {}) => {
    const read: Record<string, number> = {}
    for (const [name, written] of Object.entries(prices)) {
      if (given(written) === undefined) continue
      const usd = typeof written === "string" ? Number(written) : written
      const param = `provider.max_price.${name.slice(0, LONGEST_NAME)}`
      if (!maxPriceKinds.some((kind) => kind === name)) {
        return wrong(param, `\`${param}\` is not known; there are ${maxPriceKinds.join(", ")}`)
      }
      if (typeof usd !== "number" || !(usd >= 0)) {
        return wrong(param, `\`${param}\` must be a price in USD, ${found(written)}`)
      }
      read[name] = usd
    }
    return Result.succeed(Object.keys(read).length === 0 ? undefined : read)
  })
