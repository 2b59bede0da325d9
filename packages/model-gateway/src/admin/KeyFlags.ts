/**
 * Settings of a key for `create` and `update`: flags, and the fields of the request that they become. What is not named is left
 * out, so that an update changes nothing else.
 */
import { Clock, DateTime, Effect, Option } from "effect"
import { CliError, Flag } from "effect/cli"
import { wrongUsage } from "../Failure.ts"
import {
  BUDGET_ALLOWED,
  type BudgetArgument,
  given,
  LIMIT_ALLOWED,
  NONE,
  parseBudget,
  parseLimit,
  parseList,
  parseSpan,
  parseTime,
  parseUsd,
  SPAN_ALLOWED,
  TIME_ALLOWED,
  USD_ALLOWED
} from "./FlagValues.ts"
import { optionalParsed, optionalText, optionalWord, parsedFlag } from "../Flags.ts"

/** In place of a list of models: no restriction. Nothing at all could be a variable that happened to be empty. */
const ALL = "all"

const orNone =
  <A>(parse: (text: string) => Option.Option<A>) =>
  (text: string): Option.Option<A | null> =>
    text === NONE ? Option.some(null) : parse(text)

/** `none` is no model's name: other flags take it for "no restriction". */
const parseModels = (text: string): Option.Option<ReadonlyArray<string>> => {
  if (text === ALL) return Option.some([])
  return Option.filter(Option.some(parseList(text)), (names) => names.length > 0 && !names.includes(NONE))
}

/** `whose`: the keys that the names are for. */
export const modelsFlag = (whose: string) =>
  optionalParsed(
    "models",
    "A,B",
    `names or globs that ${whose} may use (${ALL}: any)`,
    parseModels,
    `names such as gpt-5,openai/*, or ${ALL} for no restriction`
  )

/** `region=eu|ch,zdr` */
const parseRequire = (
  text: string
): Option.Option<{ readonly region: ReadonlyArray<string>; readonly zdr: boolean }> => {
  const parts = parseList(text)
  const regions = parts.flatMap((part) => /^region=(\S+)$/.exec(part)?.[1]?.split("|") ?? [])
  const isKnown = parts.length > 0 && parts.every((part) => part === "zdr" || /^region=[^|\s]+(\|[^|\s]+)*$/.test(part))
  return isKnown ? Option.some({ region: regions, zdr: parts.includes("zdr") }) : Option.none()
}

/** What a team has, too. */
export const limitFlags = {
  rpm: optionalParsed("rpm", "N", `requests per minute (${NONE}: no limit)`, parseLimit, LIMIT_ALLOWED),
  tpm: optionalParsed("tpm", "N", `tokens per minute (${NONE}: no limit)`, parseLimit, LIMIT_ALLOWED),
  maxParallel: optionalParsed("max-parallel", "N", `requests at a time (${NONE}: no limit)`, parseLimit, LIMIT_ALLOWED),
  budget: parsedFlag(
    "budget",
    "USD/WINDOW",
    `such as 10/day or 200/month@Europe/Berlin; may be given several times (${NONE}: no budget)`,
    orNone(parseBudget),
    BUDGET_ALLOWED
  ).pipe(Flag.atLeast(0))
}

interface LimitFlags {
  readonly rpm: Option.Option<number | null>
  readonly tpm: Option.Option<number | null>
  readonly maxParallel: Option.Option<number | null>
  readonly budget: ReadonlyArray<BudgetArgument | null>
}

export const keyFlags = {
  name: optionalText("name", "NAME", "what the key is for"),
  team: optionalText("team", "TEAM", 'the team whose limits and budgets also apply (empty, "": no team)'),
  models: modelsFlag("the key"),
  ...limitFlags,
  budgetUsd: optionalParsed("budget-usd", "USD", "one budget for the key's whole lifetime", parseUsd, USD_ALLOWED),
  expiresIn: optionalParsed("expires-in", "SPAN", "lifetime: 90s, 30m, 12h, 30d or 2w", parseSpan, SPAN_ALLOWED),
  expiresAt: optionalParsed(
    "expires-at",
    "TIME",
    `2026-12-31 or 2026-12-31T18:00:00Z (${NONE}: never)`,
    orNone(parseTime),
    `${TIME_ALLOWED}, or ${NONE}`
  ),
  tags: optionalParsed("tags", "A,B", "for spend reports", (text) => Option.some(parseList(text)), "names such as a,b"),
  onUnknownPrice: optionalWord(
    "on-unknown-price",
    ["deny", "allow"],
    "models without a known price (default: deny if the key has a budget)"
  ),
  unknownFields: optionalWord(
    "unknown-fields",
    ["remove", "pass"],
    "request fields whose cost is not known, under a budget (default: remove)"
  ),
  require: optionalParsed(
    "require",
    "TAGS",
    `tags of every deployment that serves the key: region=eu, region=eu|ch or zdr, joined by commas (${NONE}: any)`,
    orNone(parseRequire),
    `tags such as region=eu|ch,zdr, or ${NONE}`
  ),
  cache: optionalWord(
    "cache",
    ["off", "on_request", "on"],
    "the response cache (default: as the team or the configuration says)"
  ),
  cacheTtl: optionalParsed(
    "cache-ttl",
    "SPAN",
    "how long a cached response is used: 90s, 12h or 30d",
    parseSpan,
    SPAN_ALLOWED
  ),
  allowFrom: optionalParsed(
    "allow-from",
    "A,B",
    `addresses and networks that the key may be used from, such as 10.0.0.0/8 (${NONE}: any)`,
    orNone((text) => Option.filter(Option.some(parseList(text)), (all) => all.length > 0)),
    `addresses such as 10.0.0.0/8,192.0.2.7, or ${NONE}`
  )
}

export interface KeyFlags extends LimitFlags {
  readonly name: Option.Option<string>
  readonly team: Option.Option<string>
  readonly models: Option.Option<ReadonlyArray<string>>
  readonly budgetUsd: Option.Option<number>
  readonly expiresIn: Option.Option<number>
  readonly expiresAt: Option.Option<string | null>
  readonly tags: Option.Option<ReadonlyArray<string>>
  readonly onUnknownPrice: Option.Option<"deny" | "allow">
  readonly unknownFields: Option.Option<"remove" | "pass">
  readonly require: Option.Option<{ readonly region: ReadonlyArray<string>; readonly zdr: boolean } | null>
  readonly cache: Option.Option<"off" | "on_request" | "on">
  readonly cacheTtl: Option.Option<number>
  readonly allowFrom: Option.Option<ReadonlyArray<string> | null>
}

/** Flags that contradict each other. */
export const validateKeyFlags = (flags: KeyFlags): Effect.Effect<void, CliError.ValidationError> => {
  if (Option.isSome(flags.expiresIn) && Option.isSome(flags.expiresAt)) {
    return Effect.fail(wrongUsage("--expires-in and --expires-at say the same thing twice: use one of them"))
  }
  if (Option.isSome(flags.budgetUsd) && flags.budget.length > 0) {
    return Effect.fail(wrongUsage("--budget-usd is short for one --budget: use one or the other"))
  }
  return validateLimitFlags(flags)
}

export const validateLimitFlags = ({ budget }: LimitFlags): Effect.Effect<void, CliError.ValidationError> =>
  budget.length > 1 && budget.includes(null)
    ? Effect.fail(wrongUsage(`--budget ${NONE} takes all budgets away, so it can't stand beside another --budget`))
    : Effect.void

/** `null` takes a limit away; an empty list of budgets takes them all. */
export const limitFields = ({ budget, maxParallel, rpm, tpm }: LimitFlags) => {
  const limits = given({ rpm, tpm, max_parallel: maxParallel })
  const budgets = budget.filter((one) => one !== null)
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(budget.length > 0 && { budgets })
  }
}

export const keyFields = Effect.fnUntraced(function* (flags: KeyFlags) {
  const now = yield* Clock.currentTimeMillis
  const after = (seconds: number) => DateTime.formatIso(DateTime.makeUnsafe(now + seconds * 1000))
  const cache = given({ mode: flags.cache, ttl_seconds: flags.cacheTtl })
  const orNull = (text: string) => (text === "" ? null : text)
  return {
    ...limitFields(flags),
    ...(Object.keys(cache).length > 0 && { cache }),
    ...given({
      name: Option.map(flags.name, orNull),
      team: Option.map(flags.team, orNull),
      models: flags.models,
      budget_usd: flags.budgetUsd,
      expires_at: Option.orElse(flags.expiresAt, () => Option.map(flags.expiresIn, after)),
      tags: flags.tags,
      on_unknown_price: flags.onUnknownPrice,
      unknown_fields: flags.unknownFields,
      require: flags.require,
      allow_from: flags.allowFrom
    })
  }
})
