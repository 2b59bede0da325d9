/**
 * Every fault a provider can commit, through the port of a gateway in its own process, read by the vendor's own client: plain,
 * streamed, and streamed but held until it is whole, each with another deployment that could answer and without. What the client saw,
 * the ledger and the upstream's connections are compared with what is promised.
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import OpenAI from "openai"
import { gatewayProcess, listening, nodeProcess } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { type LedgerRow, ledgerOf, masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { type Fault, faults, type Mode } from "./Faults.ts"
import { type Seen, problemsOf } from "./Judge.ts"
import { see } from "./See.ts"
import { seeBridged, type Shape, shapes } from "./SeeBridged.ts"

export interface Case {
  readonly fault: Fault
  readonly mode: Mode
  /** What the caller asks in; left out: chat, with the vendor's own client. The others are translated to chat. */
  readonly shape?: Shape
  /** Another, healthy deployment serves the model too. */
  readonly spared: boolean
  /** The upstream's model name, and the tag of the request in the ledger. */
  readonly tag: string
}

export interface Result extends Case {
  readonly seen: Seen
  /** Nano-USD, by the ledger. */
  readonly cost: number
  /** A second request got the response from the cache, which is on. */
  readonly isHit: boolean
  readonly ms: number
  /** What is not as promised; empty when all is. */
  readonly problems: ReadonlyArray<string>
}

export interface FaultsOptions {
  readonly faults?: ReadonlyArray<Fault>
  /** Cases under way at once. */
  readonly concurrency?: number
  readonly onResult?: (result: Result) => void
}

const modes: ReadonlyArray<Mode> = ["plain", "cut", "buffer"]
/** A client that waits longer has been forgotten. */
const LONGEST_MS = 20_000
/** A connection that nobody reads any more is closed within this time, on a busy machine too. */
const CLOSED_WITHIN_MS = 2_000

/** Chat meets all faults, the other shapes the dozen that stand for all. */
export const casesOf = (some: ReadonlyArray<Fault>): ReadonlyArray<Case> =>
  some.flatMap((fault) =>
    [undefined, ...(fault.short === true ? shapes : [])].flatMap((shape) => casesIn(fault, shape))
  )

const casesIn = (fault: Fault, shape: Shape | undefined): ReadonlyArray<Case> =>
  [true, false].flatMap((spared) =>
    modes.map((mode) => ({
      fault,
      mode,
      spared,
      ...(shape === undefined ? undefined : { shape }),
      tag: `${faults.indexOf(fault)}.${shape ?? "chat"}.${mode}.${spared ? "spared" : "alone"}`
    }))
  )

const unmetered = faults.findIndex(({ name }) => name === "no usage")
/** Asked before all others: the first estimate loads the tokenizer, which on a busy machine takes as long as these limits are. */
const first: Case = { fault: faults[unmetered]!, mode: "plain", spared: false, tag: `${unmetered}.first` }

export const faultsRun = Effect.fnUntraced(function* (options: FaultsOptions = {}) {
  const cases = casesOf(options.faults ?? faults)
  const { ready: upstream } = yield* nodeProcess(join(import.meta.dirname, "FaultyUpstream.ts"), [], listening)
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  yield* Effect.sync(() => writeFileSync(config, configuration([first, ...cases], upstream, store)))
  const { ready: url } = yield* gatewayProcess(["serve", "--config", config, "--port", "0"], listening)
  const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: { name: "faults" } })
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: json.key, maxRetries: 0, timeout: LONGEST_MS })

  yield* Effect.promise(() => see(client, first))

  const run = Effect.fnUntraced(function* (one: Case) {
    const began = performance.now()
    const { shape } = one
    const seen = yield* Effect.promise(() =>
      shape === undefined ? see(client, one) : seeBridged(url, json.key, shape, one, LONGEST_MS)
    )
    const ms = performance.now() - began
    const open = yield* stillOpen(upstream, one.tag)
    const rows = ledgerOf(store).filter(({ tags }) => tags === one.tag)
    const problems = [
      ...problemsOf(one, seen, rows),
      ...(open > 0 ? [`${open} connections to the upstream stayed open`] : []),
      ...(ms > LONGEST_MS ? [`it took ${Math.round(ms)} ms`] : [])
    ]
    const result: Result = { ...one, seen, cost: sum(rows), isHit: false, ms, problems }
    options.onResult?.(result)
    return result
  })
  const again = Effect.fnUntraced(function* (result: Result) {
    if (result.shape !== undefined) return result
    const { isHit = false } = yield* Effect.promise(() => see(client, result))
    const isWrong = isHit && !result.seen.finished
    return {
      ...result,
      isHit,
      problems: isWrong ? [...result.problems, "a hit that is not complete"] : result.problems
    }
  })
  const concurrency = options.concurrency ?? 12
  return yield* Effect.forEach(yield* Effect.forEach(cases, run, { concurrency }), again, { concurrency })
})

const sum = (rows: ReadonlyArray<LedgerRow>): number => rows.reduce((total, { cost }) => total + cost, 0)

/** How many calls of a case the upstream still holds open, once the gateway has had time to close them. */
const stillOpen = Effect.fnUntraced(function* (upstream: string, tag: string) {
  const count = call(upstream, { method: "GET", path: `/calls?model=${tag}` }).pipe(
    Effect.map(({ json }) => (json as ReadonlyArray<{ readonly open: boolean }>).filter(({ open }) => open).length)
  )
  const until = performance.now() + CLOSED_WITHIN_MS
  while (performance.now() < until) {
    if ((yield* count) === 0) return 0
    yield* Effect.sleep("20 millis")
  }
  return yield* count
})

/** A deployment for each case, so that none finds the circuit of another open; patience in seconds, not minutes. */
const configuration = (cases: ReadonlyArray<Case>, upstream: string, store: string): string =>
  JSON.stringify({
    master_key: masterKey,
    store: { sqlite: store },
    cache: { mode: "on" },
    providers: {
      bad: { protocol: "openai-chat", base_url: `${upstream}/v1`, api_key: "none" },
      // Nobody listens on port 1.
      gone: { protocol: "openai-chat", base_url: "http://127.0.0.1:1/v1", api_key: "none" },
      gemini: { protocol: "gemini", base_url: `${upstream}/v1`, api_key: "none" },
      "anthropic-messages": { protocol: "anthropic-messages", base_url: `${upstream}/v1`, api_key: "none" },
      bedrock: { protocol: "bedrock", base_url: upstream, region: "us-east-1", api_key: "scripted" },
      "cohere-v2": { protocol: "cohere-v2", base_url: `${upstream}/v2`, api_key: "none" },
      "mistral-chat": { protocol: "mistral-chat", base_url: `${upstream}/v1`, api_key: "none" },
      "ollama-chat": { protocol: "ollama-chat", base_url: upstream },
      good: { protocol: "openai-chat", base_url: `${upstream}/v1`, api_key: "none" }
    },
    deployments: [
      { provider: "good", model: "fine", price },
      ...cases.map(({ fault, tag }) => ({
        id: tag,
        provider: fault.refused === true ? "gone" : (fault.protocol ?? "bad"),
        model: tag,
        price,
        timeouts: tag === first.tag ? {} : { connect: "1s", first_token: "1s", idle: "1s", total: "3s" }
      }))
    ],
    models: Object.fromEntries(cases.map(({ spared, tag }) => [`model ${tag}`, spared ? [tag, "good/fine"] : [tag]])),
    failover: { base_delay: "50ms", retry_budget: { percent: 100, extra: 1000 } }
  })

/** USD per million tokens. */
const price = { input: 1, output: 2 }
