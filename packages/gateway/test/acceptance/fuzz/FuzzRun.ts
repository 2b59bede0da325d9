/**
 * Thousands of damaged requests to a gateway in a process of its own, whose provider answers garbage: every one is answered in time
 * and in shape, the event loop stays free, the process stays alive and small, and its ledger adds up at the end.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { layer as database } from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import { verifyLedger } from "../../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { call } from "../../support/RawHttp.ts"
import { type Heard, say } from "../../support/RawSocket.ts"
import { ledgerOf, masterKey, temporaryStore } from "../../support/RunningGateway.ts"
import { garbageUpstream } from "./GarbageUpstream.ts"
import { isHead, PATIENCE_MS, violation } from "./Judge.ts"
import { type Kind, type Mutation, mutationOf } from "./Mutations.ts"
import type { World } from "./Templates.ts"

export interface FuzzOptions {
  readonly seed: number
  /** Mutations 0 to below this, or just these. */
  readonly count: number
  readonly only?: number
  readonly onProgress?: (done: number) => void
  /** Called with each outcome where only one is replayed. */
  readonly onOutcome?: (mutation: Mutation, heard: Heard) => void
}

export interface FuzzReport {
  /** Kind of mutation → status, or how the connection ended → how often. */
  readonly outcomes: ReadonlyMap<Kind, ReadonlyMap<string, number>>
  /** Times that the event loop was held, of which none is due to one request alone; ms each. */
  readonly held: ReadonlyArray<number>
  /** The slowest answer to a health check meanwhile, ms, and how many there were. */
  readonly slowestHealth: number
  readonly healthChecks: number
  /** The most memory the process had, MiB. */
  readonly peakMemory: number
  readonly ledgerRows: number
  /** What is wrong; empty when nothing is. Those of one request begin with its number. */
  readonly violations: ReadonlyArray<string>
}

const AT_ONCE = 8
/** Longer than this no request may keep all others waiting. */
const MOST_HELD_MS = 100
const MOST_MEMORY_MIB = 700
const probe = join(import.meta.dirname, "LoopProbe.ts")

interface Span {
  readonly mutation: Mutation
  readonly from: number
  readonly to: number
}

export const fuzzRun = Effect.fnUntraced(function* (options: FuzzOptions) {
  const upstream = yield* garbageUpstream(options.seed)
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  yield* Effect.sync(() => writeFileSync(config, configuration(upstream, store)))
  const gateway = yield* gatewayProcess(["serve", "--config", config, "--port", "0"], listening, {
    nodeOptions: ["--import", probe]
  })
  const world = yield* prepare(gateway.ready)

  const outcomes = new Map<Kind, Map<string, number>>()
  const violations: Array<string> = []
  const spans: Array<Span> = []
  const ask = Effect.fnUntraced(function* (mutation: Mutation) {
    const from = Date.now()
    const heard = yield* say(gateway.ready, {
      pieces: mutation.pieces,
      pause: mutation.pause,
      end: mutation.end,
      patience: PATIENCE_MS,
      answers: 1,
      head: isHead(mutation)
    })
    spans.push({ mutation, from, to: Date.now() })
    return heard
  })
  const one = Effect.fnUntraced(function* (number: number) {
    const mutation = mutationOf(options.seed, number, world)
    const heard = yield* ask(mutation)
    const ofKind = outcomes.get(mutation.kind) ?? new Map<string, number>()
    const outcome = heard.answers.length > 0 ? String(heard.answers[0]!.status) : heard.ended
    outcomes.set(mutation.kind, ofKind.set(outcome, (ofKind.get(outcome) ?? 0) + 1))
    const wrong = violation(mutation, heard, world)
    if (wrong !== undefined) violations.push(`${number} (${mutation.kind}, ${mutation.template.name}): ${wrong}`)
    options.onOutcome?.(mutation, heard)
    if (number % 500 === 499) options.onProgress?.(number + 1)
  })

  const health = { slowest: 0, checks: 0 }
  const checking = yield* Effect.forkScoped(watchHealth(gateway.ready, health, violations))
  const numbers = options.only === undefined ? Array.from({ length: options.count }, (_, n) => n) : [options.only]
  yield* Effect.forEach(numbers, one, { concurrency: AT_ONCE, discard: true })
  yield* Effect.sync(() => checking.interruptUnsafe())

  const held = heldTimes(gateway.stderr())
  for (const time of held) violations.push(...(yield* blame(time, spans, ask, gateway.stderr)))

  const peakMemory = memoryOf(gateway.pid)
  if (peakMemory > MOST_MEMORY_MIB) violations.push(`the process had ${peakMemory} MiB of memory`)
  const code = yield* gateway.end("SIGTERM")
  if (code !== 0) violations.push(`the process ended with ${code}:\n${gateway.stderr().slice(-2_000)}`)
  const faults = gateway.stderr().match(/request failed/g) ?? []
  if (faults.length > 0)
    violations.push(`${faults.length} requests failed inside the gateway:\n${logged(gateway.stderr())}`)
  const rows = ledgerOf(store)
  violations.push(...(yield* booksOf(store)))
  const report: FuzzReport = {
    outcomes,
    held: held.map(({ ms }) => ms),
    slowestHealth: health.slowest,
    healthChecks: health.checks,
    peakMemory,
    ledgerRows: rows.length,
    violations
  }
  return report
})

const configuration = (upstream: string, store: string) => `
master_key: "${masterKey}"
store: { sqlite: "${store}" }
server: { headers_timeout: 2s, request_timeout: 4s, shutdown_grace: 5s, trusted_proxies: [127.0.0.1] }
providers:
  up: { protocol: openai-chat, base_url: "${upstream}/v1", api_key: none }
  claude: { protocol: anthropic-messages, base_url: "${upstream}/v1", api_key: none }
  demo: { vendor: demo }
deployments:
${["up/good", "up/bad", "claude/good", "claude/bad"]
  .map((id) => {
    const [provider, model] = id.split("/")
    return `  - { provider: ${provider}, model: ${model}, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }, timeouts: { connect: 1s, first_token: 1s, idle: 1s, total: 2s } }`
  })
  .join("\n")}
  - demo/mini
  - demo/standard
  - demo/large
  - demo/garbage
  - demo/embed
  - demo/moderation
  - demo/picture
  - demo/speech
  - demo/rerank
  - demo/transcribe
models: { alias: demo/standard, shaky: [up/bad, up/good] }
router: { buckets: { simple: [demo/mini], standard: [demo/standard], complex: [demo/standard], reasoning: [demo/standard] } }
failover: { base_delay: 1ms }
`

const prepare = Effect.fnUntraced(function* (url: string) {
  const create = (body: object) =>
    Effect.map(call(url, { path: "/admin/keys", key: masterKey, body }), ({ json }) => json)
  const own = yield* create({ name: "fuzz", budgets: [{ usd: 100_000, window: "day" }] })
  const poor = yield* create({ limits: { rpm: 50, tpm: 20_000, max_parallel: 2 }, budget_usd: 0.01, team: "red" })
  const victims = yield* Effect.forEach([0, 1, 2], () => create({ team: "red" }))
  return {
    host: new URL(url).host,
    masterKey,
    key: String(own.key),
    poorKey: String(poor.key),
    victims: victims.map(({ id }) => String(id))
  } satisfies World as World
})

/** Asks again and again on its own connections, as a load balancer does. */
const watchHealth = Effect.fnUntraced(function* (
  url: string,
  health: { slowest: number; checks: number },
  violations: Array<string>
) {
  const { host } = new URL(url)
  for (;;) {
    const { answers, ended, took } = yield* say(url, {
      pieces: [`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
      answers: 1,
      patience: PATIENCE_MS
    })
    health.checks++
    health.slowest = Math.max(health.slowest, took)
    if (answers[0]?.status !== 200) violations.push(`/healthz got ${answers[0]?.status ?? ended}`)
    yield* Effect.sleep("25 millis")
  }
})

interface HeldTime {
  readonly ms: number
  readonly from: number
  readonly to: number
}

const heldTimes = (stderr: string): ReadonlyArray<HeldTime> =>
  [...stderr.matchAll(/^loop-held (\d+) ms from (\d+) to (\d+)$/gm)]
    .map(([, ms, from, to]) => ({ ms: Number(ms), from: Number(from), to: Number(to) }))
    .filter(({ ms }) => ms > MOST_HELD_MS)

/** Sends what was under way once more, each alone: only what holds the loop by itself is to blame. */
const blame = Effect.fnUntraced(function* (
  time: HeldTime,
  spans: ReadonlyArray<Span>,
  ask: (mutation: Mutation) => Effect.Effect<Heard>,
  stderr: () => string
) {
  const suspects = spans.filter(({ from, to }) => from <= time.to && to >= time.from).map(({ mutation }) => mutation)
  const guilty: Array<string> = []
  for (const mutation of suspects) {
    const before = heldTimes(stderr()).length
    yield* ask(mutation)
    yield* Effect.sleep("50 millis")
    const again = heldTimes(stderr()).slice(before)
    // Twice: the first may have met a collection of what others left behind.
    if (again.length === 0) continue
    yield* ask(mutation)
    yield* Effect.sleep("50 millis")
    if (heldTimes(stderr()).length === before + again.length) continue
    const { kind, number, template } = mutation
    guilty.push(`${number} (${kind}, ${template.name}): held the event loop for ${again[0]!.ms} ms`)
  }
  return guilty
})

/** The highest resident memory so far; 0 where the system does not tell. */
const memoryOf = (pid: number): number => {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

const logged = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) => line.includes("request failed"))
    .slice(0, 5)
    .join("\n")
    .slice(0, 4_000)

/** Every sum of the books against its rows, and nothing left open. */
const booksOf = Effect.fnUntraced(function* (store: string) {
  const differences = yield* Effect.orDie(Effect.provide(verifyLedger, Layer.fresh(database({ filename: store }))))
  const open = ledgerOf(store).filter(({ status }) => status === "reserved").length
  return [
    ...differences.map(({ expected, found, of, sum }) => `the ledger: ${sum} of ${of} is ${found}, not ${expected}`),
    ...(open === 0 ? [] : [`${open} reservations are still open after the gateway has ended`])
  ]
})
