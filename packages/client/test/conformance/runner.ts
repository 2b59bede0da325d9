/** The runner of the conformance suite for this client; see packages/conformance/README.md. */
import { readFileSync } from "node:fs"
import type { Rendered, Step } from "../../../conformance/src/Scenario.ts"
import { Gateway, type GatewayOptions } from "../../src/index.ts"
import { calls } from "./Operations.ts"
import { errorOf, type Observation, observeStream, shown, upload, wireDecision } from "./Observe.ts"

const VARIABLES = ["GATEWAY_BASE_URL", "GATEWAY_API_KEY", "GATEWAY_MASTER_KEY"] as const

const optionsOf = ({
  api_key,
  base_url,
  headers,
  master_key,
  max_retries,
  timeout_ms
}: Rendered["client"]): GatewayOptions => ({
  apiKey: api_key,
  baseUrl: base_url,
  masterKey: master_key,
  headers,
  timeout: timeout_ms,
  maxRetries: max_retries
})

const construct = ({ client, environment }: Rendered): Gateway => {
  for (const name of VARIABLES) delete process.env[name]
  Object.assign(process.env, environment)
  try {
    return new Gateway(optionsOf(client))
  } finally {
    for (const name of VARIABLES) delete process.env[name]
  }
}

const run = async (scenario: Rendered): Promise<ReadonlyArray<Observation>> => {
  const observations: Array<Observation> = []
  const saved: Record<string, string> = {}
  let gateway: Gateway
  try {
    gateway = construct(scenario)
  } catch (error) {
    return [{ error: errorOf(error), shown: shown(error) }]
  }
  for (const unfilled of scenario.steps) {
    const step: Step = JSON.parse(JSON.stringify(unfilled).replace(/\{\{(\w+)\}\}/g, (all, name) => saved[name] ?? all))
    const seen: Observation = {}
    observations.push(seen)
    const started = performance.now()
    try {
      await observe(gateway, step, scenario.fixtures, seen)
    } catch (error) {
      seen["error"] = errorOf(error)
      seen["shown"] = shown(error, gateway)
    }
    seen["took_ms"] = performance.now() - started
    if ("error" in seen) break
    seen["shown"] = shown(gateway)
    for (const [name, path] of Object.entries(step.save ?? {})) saved[name] = at(seen, path)
  }
  return observations
}

const observe = async (gateway: Gateway, step: Step, fixtures: string, seen: Observation): Promise<void> => {
  if (step.operation === "construct") return
  const {
    cache,
    content,
    end_user,
    guardrails,
    headers,
    idempotency_key,
    max_retries,
    no_fallback,
    prefer,
    recovery,
    session,
    strict,
    tags,
    timeout_ms
  } = step.options ?? {}
  const files = await Promise.all(
    Object.entries(step.files ?? {}).map(async ([name, file]) => [name, await upload(fixtures, file)])
  )
  const body = files.length > 0 || step.body !== undefined ? { ...step.body, ...Object.fromEntries(files) } : undefined
  const call = calls[step.operation as keyof typeof calls](gateway, {
    params: { ...step.params },
    query: step.query as Record<string, never>,
    body,
    stream: step.stream === true,
    parse: step.parse === true,
    options: {
      cache: cache && { on: cache.on, noCache: cache.no_cache, noStore: cache.no_store, maxAge: cache.max_age },
      content,
      endUser: end_user,
      guardrails,
      headers,
      idempotencyKey: idempotency_key,
      maxRetries: max_retries,
      noFallback: no_fallback,
      prefer,
      recovery,
      session,
      strict,
      tags,
      timeout: timeout_ms
    }
  })
  if (step.iterate === true) {
    const items: Array<unknown> = []
    for await (const item of call as AsyncIterable<unknown>) items.push(item)
    seen["items"] = items
    return
  }
  if (Symbol.asyncIterator in call) {
    for await (const _ of call) break
    return
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of all kinds
  const answer: any = await call
  if (step.raw === true) {
    const { response } = await (
      call as unknown as { withResponse: () => Promise<{ response: Response }> }
    ).withResponse()
    seen["raw"] = { status: response.status, headers: Object.fromEntries(response.headers) }
  }
  if (step.stream === true) return observeStream(answer, step.leave_after, seen)
  if ("bytes" in answer) seen["bytes"] = (await answer.bytes()).length
  else {
    const { gateway: own, parsed, ...rest } = answer
    seen["body"] = isDecision(own) ? rest : { ...rest, gateway: own }
    if (step.parse === true) seen["parsed"] = parsed
  }
  if (isDecision(answer.gateway)) seen["gateway"] = wireDecision(answer.gateway)
}

/** Records have a `gateway` of another meaning: a model's. */
const isDecision = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && "costIsFinal" in value)

// oxlint-disable-next-line typescript/no-explicit-any -- whatever there is
const at = (value: any, path: string): string => String(path.split(".").reduce((one, name) => one?.[name], value))

const AT_ONCE = 8

const [file = ""] = process.argv.slice(2)
const scenarios: ReadonlyArray<Rendered> = JSON.parse(readFileSync(file, "utf8"))
const tell = async (scenario: Rendered): Promise<void> => {
  const steps = await run(scenario)
  process.stdout.write(`${JSON.stringify({ scenario: scenario.name, steps })}\n`)
}
// An environment is the whole process's: a client reads it when it is made, which nothing comes between.
const waiting = [...scenarios]
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await tell(next)
  })
)
