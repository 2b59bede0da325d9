/** Failover Bench's scenarios through the port of a gateway in its own process, with its verdicts. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Clock, Effect } from "effect"
import OpenAI from "openai"
import { gatewayProcess, listening, nodeProcess } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"
import {
  answerText,
  FALLBACK,
  fallbackOf,
  isRescued,
  isSequence,
  isTruncated,
  NO_PREFILL,
  OUTAGE_MS,
  primaryOf,
  type Scenario,
  scenarios,
  type View
} from "./FailoverScenarios.ts"

/** `safe`: not rescued, and a clean error in time. */
export type Verdict = "pass" | "partial" | "safe" | "fail"

export interface Judged {
  readonly scenario: Scenario
  readonly verdict: Verdict
  /** Checks that failed, and what the caller got. */
  readonly notes: ReadonlyArray<string>
  readonly calls: number
  readonly ms: number
}

/** What a row is run with. */
export interface Setup {
  readonly name: string
  /** Fields of each deployment, and of `failover`. */
  readonly deployment: object
  readonly failover: object
}

/** The bench gives every system two retries, 30 s and one fallback; all else is the gateway's default. */
export const baseline: Setup = {
  name: "baseline",
  deployment: { timeouts: { first_token: "30s", response: "30s", idle: "30s" } },
  failover: {}
}

export const tuned: Setup = {
  name: "tuned",
  deployment: { timeouts: { first_token: "10s", response: "30s", idle: "10s" } },
  failover: { stream_recovery: "buffer" }
}

const PROMPT = "Say the sixty words."
const SEQUENCE = { count: 20, everyMs: 4_000, recoveredWithinMs: 30_000 }
const PROBE_S = 10

interface Asked {
  readonly ok: boolean
  readonly text: string
  readonly model: string | undefined
  readonly hasUsage: boolean
  readonly ms: number
  readonly hung: boolean
  readonly error: string
}

const ask = async (client: OpenAI, model: string, maxS: number): Promise<Asked> => {
  const began = performance.now()
  let text = ""
  let named: string | undefined
  let hasUsage = false
  const end = (ok: boolean, error = "", hung = false): Asked => {
    return { ok, text, model: named, hasUsage, ms: performance.now() - began, hung, error }
  }
  try {
    const signal = AbortSignal.timeout(maxS * 1000)
    const messages = [{ role: "user" as const, content: PROMPT }]
    const options = { stream: true, stream_options: { include_usage: true } } as const
    for await (const chunk of await client.chat.completions.create({ model, messages, ...options }, { signal })) {
      text += chunk.choices[0]?.delta.content ?? ""
      named = chunk.model
      hasUsage ||= (chunk.usage?.total_tokens ?? 0) > 0
    }
    return end(true)
  } catch (error) {
    const hung = error instanceof OpenAI.APIUserAbortError
    return end(false, error instanceof Error ? error.message : String(error), hung)
  }
}

export const failoverBench = Effect.fnUntraced(function* (setup: Setup, some: ReadonlyArray<Scenario> = scenarios) {
  const { ready: upstream } = yield* nodeProcess(join(import.meta.dirname, "FaultyUpstream.ts"), [], listening)
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  yield* Effect.sync(() => writeFileSync(config, configuration(setup, upstream, store)))
  const { ready: url } = yield* gatewayProcess(["serve", "--config", config, "--port", "0"], listening)
  const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: { name: "bench" } })
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: json.key, maxRetries: 0, timeout: 600_000 })
  const callsOf = (model: string) =>
    Effect.map(
      call(upstream, { method: "GET", path: `/calls?model=${model}` }),
      ({ json }) => json as ReadonlyArray<{ readonly at: number; readonly refusal: boolean }>
    )
  // Loads what the first answer needs.
  yield* Effect.promise(() => ask(client, "healthy", PROBE_S))

  const single = Effect.fnUntraced(function* (scenario: Scenario) {
    const before = yield* callsOf(fallbackOf(scenario))
    const asked = yield* Effect.promise(() => ask(client, `model ${scenario.id}`, scenario.maxS))
    const primary = yield* callsOf(primaryOf(scenario))
    const fallback = (yield* callsOf(fallbackOf(scenario))).slice(before.length)
    const probe = yield* Effect.promise(() => ask(client, "healthy", PROBE_S))
    const view: View = {
      ...asked,
      primary: primary.map(({ at }) => at),
      fallback: fallback.length,
      prefillRefused: fallback.some(({ refusal }) => refusal),
      alive: probe.ok
    }
    return judged(scenario, view)
  })

  const sequence = Effect.fnUntraced(function* (scenario: Scenario) {
    const began = yield* Clock.currentTimeMillis
    const asked: Array<Asked & { readonly at: number }> = []
    for (let count = 0; count < SEQUENCE.count; count++) {
      const at = yield* Clock.currentTimeMillis
      yield* Effect.sleep(Math.max(0, began + count * SEQUENCE.everyMs - at))
      const one = yield* Effect.promise(() => ask(client, `model ${scenario.id}`, scenario.maxS))
      asked.push({ ...one, at: began + count * SEQUENCE.everyMs })
    }
    const primary = (yield* callsOf(primaryOf(scenario))).map(({ at }) => at)
    const recovery = (primary[0] ?? began) + OUTAGE_MS
    const down = asked.filter(({ at }) => at < recovery)
    const notes = [
      ...(asked.some(({ hung }) => hung) ? ["hung"] : []),
      ...(down.every(({ ok, text }) => ok && text === answerText) ? [] : ["not served while it was down"]),
      ...(primary.some((at) => at >= recovery && at <= recovery + SEQUENCE.recoveredWithinMs) ? [] : ["not used again"])
    ]
    const probes = primary.filter((at) => at < recovery).length
    const ms = Math.max(...asked.map((one) => one.ms))
    const verdict: Verdict = notes.length === 0 ? "pass" : "fail"
    const told = `${probes} calls for ${down.length} requests while it was down`
    return { scenario, verdict, notes: [...notes, told], calls: primary.length, ms }
  })

  return yield* Effect.forEach(some, (one): Effect.Effect<Judged> => (isSequence(one) ? sequence(one) : single(one)))
})

const judged = (scenario: Scenario, view: View): Judged => {
  const failing = scenario.checks.filter(({ holds }) => !holds(view))
  const required = failing.filter(({ advisory }) => advisory !== true)
  const rescued = isRescued(scenario, view)
  const isWrong = view.hung || required.length > 0 || isTruncated(view)
  const byFallback = scenario.ideal === "error" && view.ok && !isTruncated(view)
  const verdict = isWrong
    ? "fail"
    : rescued
      ? failing.length === 0
        ? "pass"
        : "partial"
      : byFallback
        ? "partial"
        : "safe"
  const notes = [
    ...(view.hung ? ["hung"] : []),
    ...(isTruncated(view) ? ["a part was called the answer"] : []),
    ...failing.map(({ id }) => `not: ${id}`),
    ...(view.ok ? (view.fallback > 0 ? ["by the fallback"] : []) : [view.error])
  ]
  return { scenario, verdict, notes, calls: view.primary.length, ms: view.ms }
}

const configuration = (setup: Setup, upstream: string, store: string): string => {
  const deployment = (model: string) => ({ id: model, provider: "wall", model, price, ...setup.deployment })
  return JSON.stringify({
    master_key: masterKey,
    store: { sqlite: store },
    providers: { wall: { protocol: "openai-chat", base_url: `${upstream}/v1`, api_key: "none" } },
    deployments: [...scenarios.map(primaryOf), FALLBACK, NO_PREFILL].map(deployment),
    models: {
      healthy: [FALLBACK],
      ...Object.fromEntries(scenarios.map((one) => [`model ${one.id}`, [primaryOf(one), fallbackOf(one)]]))
    },
    failover: { attempts: 3, order: "listed", ...setup.failover }
  })
}

/** USD per million tokens. */
const price = { input: 1, output: 2 }
