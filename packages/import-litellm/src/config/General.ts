/** `litellm_settings`, `router_settings` and `general_settings`: how the gateway itself runs. */
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import type { Defaults } from "./LitellmModels.ts"
import type { Fields } from "./LitellmProviders.ts"
import { reference, variableIn, type Variables } from "./source/SourceSecrets.ts"
import { secondsOf } from "./source/SourceValues.ts"

export interface Sections {
  readonly litellm: Cursor | undefined
  readonly router: Cursor | undefined
  readonly general: Cursor | undefined
}

/** `router_settings` win over `litellm_settings`. */
const either = ({ litellm, router }: Sections, name: string, account: Account): Cursor | undefined => {
  const [first, second] = [router?.field(name), litellm?.field(name)]
  if (first !== undefined) account.say(second, "not_needed", `router_settings.${name} wins over it`)
  return first ?? second
}

export const defaultsOf = (sections: Sections, account: Account): Defaults => {
  const own = sections.router?.field("timeout")
  const all = sections.litellm?.field("request_timeout")
  const first = either(sections, "stream_timeout", account)
  const total = own ?? all
  const say = (found: Cursor | undefined, name: string) =>
    account.say(
      found,
      secondsOf(found) === undefined ? "left_out" : "carried",
      "of each deployment that has none of its own",
      `deployments: timeouts.${name}`
    )
  if (own !== undefined) account.say(all, "not_needed", "router_settings.timeout wins over it")
  say(total, "total")
  say(first, "first_token")
  const params = sections.router?.field("default_litellm_params")?.fields ?? new Map<string, Cursor>()
  return { total: secondsOf(total), firstToken: secondsOf(first), params }
}

const MOST_ATTEMPTS = 10
const USUAL_ATTEMPTS = 3

/** `longest`: the most deployments that one name's fallbacks bring. `spreads`: a name has several. */
export const failoverOf = (sections: Sections, longest: number, spreads: boolean, account: Account): Fields => {
  const retries = either(sections, "num_retries", account)
  const wanted = retries?.number
  const isKnown = wanted !== undefined && Number.isInteger(wanted) && wanted >= 0
  const attempts = Math.min(MOST_ATTEMPTS, Math.max((isKnown ? wanted + 1 : USUAL_ATTEMPTS) + longest, 1))
  account.say(
    retries,
    isKnown ? "carried" : "left_out",
    "attempts: the first one, the retries, and one for each fallback (10 at most)",
    "failover.attempts"
  )
  const after = either(sections, "retry_after", account)
  const delay = secondsOf(after)
  account.say(
    after,
    delay === undefined ? "not_needed" : "carried",
    "before the same deployment is called again",
    "failover.base_delay"
  )
  return {
    ...(attempts === USUAL_ATTEMPTS ? {} : { attempts }),
    ...(delay === undefined ? {} : { base_delay: delay }),
    // LiteLLM draws anew for each call.
    ...(spreads ? { session_affinity: false } : {})
  }
}

const SHORTEST_MASTER_KEY = 32
const MASTER_KEY = "GATEWAY_MASTER_KEY"

export const masterKeyOf = ({ general }: Sections, account: Account, variables: Variables): string => {
  const written = general?.field("master_key")
  const text = written?.text
  if (written === undefined || text === undefined) return reference(MASTER_KEY)
  const variable = variableIn(text)
  if (variable !== undefined) {
    account.say(written, "carried", `it needs ${SHORTEST_MASTER_KEY} random characters here`, "master_key")
    return reference(variable)
  }
  const name = variables.for(text, MASTER_KEY)
  const how =
    text.length >= SHORTEST_MASTER_KEY
      ? `set ${name} to it, or to a new one`
      : `it is too short: set ${name} to a new one (openssl rand -base64 33)`
  account.say(written, "changed", `keys are not copied; ${how}`, "master_key")
  return reference(name)
}

const LARGEST_BODY_MB = 1024

export const serverOf = ({ general }: Sections, account: Account): Fields => {
  const size = (name: string, ours: string): Fields => {
    const found = general?.field(name)
    const mb = found?.number
    const fits = mb !== undefined && mb > 0 && mb <= LARGEST_BODY_MB
    account.say(found, fits ? "carried" : "left_out", "MB", `server.${ours}`)
    return fits ? { [ours]: mb } : {}
  }
  return { ...size("max_request_size_mb", "max_body_mb"), ...size("max_response_size_mb", "max_answer_mb") }
}

export const logsOf = (sections: Sections, account: Account): Fields => {
  const json = sections.litellm?.field("json_logs")
  const verbose = [sections.litellm?.field("set_verbose"), sections.router?.field("set_verbose")]
  account.say(json, "carried", "how log lines are written", "logs.format")
  const isVerbose = verbose.some((one) => one?.isTrue)
  for (const one of verbose) {
    if (one?.isTrue === true)
      account.say(one, "changed", "a line for each request; prompts are never in it", "logs.requests")
    else account.say(one, "not_needed", "requests that fail have a line, others none")
  }
  return { ...(json?.isTrue === true ? { format: "json" } : {}), ...(isVerbose ? { requests: "all" } : {}) }
}

/** LiteLLM keeps a row for each request, as receipts are. */
export const receiptsOf = ({ general }: Sections, account: Account): Fields => {
  const off = general?.field("disable_spend_logs")
  const period = general?.field("maximum_spend_logs_retention_period")
  const [span] = /^[1-9]\d{0,3}[hd]$/.exec(period?.text ?? "") ?? []
  if (off?.isTrue === true) {
    account.say(off, "carried", "no receipts are kept; spend is, by the hour", "receipts.keep")
    account.say(period, "not_needed", "disable_spend_logs stands beside it")
    return { keep: "off" }
  }
  account.say(off, "not_needed", "receipts are kept anyway")
  account.say(
    period,
    span === undefined ? "left_out" : "carried",
    "how long receipts are kept: hours or days",
    "receipts.keep"
  )
  return span === undefined ? {} : { keep: span }
}

/** LiteLLM's names of calls, asynchronous or not. */
const CALLS: { readonly [call: string]: string } = {
  completion: "chat",
  text_completion: "completions",
  embedding: "embeddings",
  rerank: "rerank",
  responses: "responses",
  anthropic_messages: "messages"
}

const LONGEST_TTL = 30 * 24 * 3_600

/** The response cache: exact, and for each key its own. */
export const cacheOf = ({ litellm }: Sections, account: Account): Fields => {
  const [cache, params] = [litellm?.field("cache"), litellm?.field("cache_params")]
  if (cache?.isTrue !== true) {
    account.say(cache, "carried", "the response cache is off", "cache.mode")
    account.say(params, "not_needed", "the cache is off")
    return {}
  }
  const type = params?.field("type")
  if (type?.text?.includes("semantic") === true) {
    const why = "only equal requests get an earlier response here, as similar ones have other answers"
    account.say(cache, "left_out", why)
    account.say(params, "left_out", why)
    return {}
  }
  const isAsked = params?.field("mode")?.text === "default_off"
  const asked = isAsked ? "requests use it with X-Gateway-Cache: on, rather than `use-cache` in the body; " : ""
  account.say(params, "not_needed", "entries are in a file beside the store, or in its Postgres")
  account.say(
    cache,
    "changed",
    `${asked}each key has entries of its own; cache.namespace: team shares them`,
    "cache.mode"
  )
  account.say(params?.field("mode"), isAsked ? "changed" : "carried", "which requests use it", "cache.mode")
  account.say(params?.field("namespace"), "left_out", "entries are apart by key or team (cache.namespace)")
  const ttl = params?.field("ttl")
  const seconds = Math.round(ttl?.number ?? Number.NaN)
  const isSpan = seconds >= 1 && seconds <= LONGEST_TTL
  account.say(ttl, isSpan ? "carried" : "left_out", "1 s to 30 days", "cache.ttl")
  const types = params?.field("supported_call_types")
  const operations = new Set<string>()
  for (const one of types?.items ?? []) {
    const operation = CALLS[(one.text ?? "").replace(/^a(?!nthropic)/, "")]
    if (operation === undefined) account.say(one, "left_out", "responses of this operation are not cached here")
    else {
      account.say(one, "carried", operation, "cache.operations")
      operations.add(operation)
    }
  }
  return {
    mode: isAsked ? "on_request" : "on",
    ...(isSpan ? { ttl: `${seconds}s` } : {}),
    ...(operations.size === 0 ? {} : { operations: [...operations] })
  }
}

const BUILT_IN: { readonly [callback: string]: string } = {
  prometheus: "metrics are at /metrics",
  otel: "traces are sent where OTEL_EXPORTER_OTLP_ENDPOINT says",
  opentelemetry: "traces are sent where OTEL_EXPORTER_OTLP_ENDPOINT says"
}

/** What needs no field here, whatever its value. */
export const noteOthers = ({ litellm, router }: Sections, account: Account): void => {
  for (const name of ["callbacks", "success_callback", "failure_callback", "service_callbacks"]) {
    const written = litellm?.field(name)
    for (const one of written === undefined ? [] : written.node.kind === "list" ? written.items : [written]) {
      const why = Object.hasOwn(BUILT_IN, one.text ?? "") ? BUILT_IN[one.text ?? ""] : undefined
      if (why !== undefined) account.say(one, "not_needed", `built in: ${why}`)
    }
  }
  account.say(
    litellm?.field("timezone"),
    "not_needed",
    "for budgets of keys: model-gateway import litellm-keys --time-zone"
  )
  const drop = litellm?.field("drop_params")
  if (drop?.isTrue === true)
    account.say(
      drop,
      "not_needed",
      "parameters that a model lacks are dropped, and X-Gateway-Dropped-Params names them"
    )
  else
    account.say(
      drop,
      "changed",
      "they are dropped here and named in X-Gateway-Dropped-Params; callers that want an error send X-Gateway-Strict: 1"
    )
  account.say(
    router?.field("enable_pre_call_checks"),
    "not_needed",
    "a request that is too long for a deployment goes to another one"
  )
}
