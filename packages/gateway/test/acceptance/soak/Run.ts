/**
 * A gateway in its own process under mixed load for a while: what it uses, whether it gives it all back, and whether its books hold
 * every answer that was seen to its end.
 */
import { writeFileSync } from "node:fs"
import { Agent } from "node:http"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { Effect, Layer } from "effect"
import * as Database from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import { verifyLedger } from "../../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { call } from "../../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../../support/RunningGateway.ts"
import { type Asking, kinds } from "./Clients.ts"
import { type Inventory, MARK } from "./Probe.ts"
import { soakProvider } from "./Provider.ts"
import { type Sample, sample, table } from "./Samples.ts"

export interface SoakOptions {
  readonly seconds: number
  /** Requests a second. */
  readonly rate: number
  readonly seed: number
  /** MB. */
  readonly mostRss: number
  /**
   * MB a minute that more is in use after the second third of the load than after the first, when all is there that is kept for a minute or
   * up to a number of it. What is resident says less: it grows by steps, with each peak that is higher than those before.
   */
  readonly mostGrowth: number
  /** MB that may be left of what the load took, once nobody has asked for a while. Not looked at where it is left out. */
  readonly mostKept?: number
  readonly say?: (line: string) => void
}

export interface SoakReport {
  readonly requests: number
  readonly finished: number
  /** MB of resident memory at most. */
  readonly mostRss: number
  /** MB a minute. */
  readonly growth: number
  /** MB of resident memory, before the load and when it was long over. */
  readonly kept: { readonly before: number; readonly after: number }
  readonly before: Inventory
  readonly after: Inventory
  readonly lines: ReadonlyArray<string>
  /** What is wrong; empty when nothing is. */
  readonly problems: ReadonlyArray<string>
}

/** What is due while so many are under way is sent later: a machine that is busy with other things must not make a storm of it. */
const MOST_AT_ONCE = 400
const SAMPLE_MS = 1_000
const LAST_ANSWER_MS = 60_000
/** Connections that are kept for the next request, on both sides, are closed within this time. */
const REST_SECONDS = 10
/** A server that was quiet for ten seconds gives memory back; on a machine that is busy with other things it takes longer to be quiet. */
const QUIET_SECONDS = 60
/** Fibers and files that may be there for a moment, such as the collection of a minute's metrics. */
const TOLERANCE = 8

const configuration = (baseUrl: string, store: string) => `
master_key: "${masterKey}"
server: { port: 0, stalled_client: 2s }
store: { sqlite: "${store}" }
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
  - { provider: up, model: big, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
  - { provider: up, model: huge, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
  - { provider: up, model: flaky, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }, timeouts: { first_token: 500ms, idle: 500ms, total: 2s } }
models: { spared: [up/flaky, up/m] }
failover: { base_delay: 5ms }
`

export const soakRun = Effect.fnUntraced(function* (options: SoakOptions) {
  const { seconds, say = () => {} } = options
  const draw = numbers(options.seed)
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  const baseUrl = yield* soakProvider(draw)
  yield* Effect.sync(() => writeFileSync(config, configuration(baseUrl, store)))
  const probe = { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "Probe.ts")).href}` }
  const {
    end,
    pid,
    ready: url,
    signal,
    stderr
  } = yield* gatewayProcess(["serve", "--config", config], listening, { environment: probe })
  const inventory = Effect.gen(function* () {
    const already = stderr().split(MARK).length
    signal("SIGUSR2")
    while (stderr().split(MARK).length === already || !stderr().endsWith("\n")) yield* Effect.sleep(20)
    return JSON.parse(stderr().split(MARK).at(-1)!.split("\n")[0]!) as Inventory
  })
  const body = { name: "soak", limits: { rpm: 1_000_000 }, budgets: [{ usd: 100_000, window: "month" }] }
  const made = yield* call(url, { path: "/admin/keys", key: masterKey, body })

  const agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE })
  const told = new Map<string, number>()
  const finished = (requestId: string, cost: number) => void told.set(requestId, cost)
  const asking: Asking = { url, agent, key: String(made.json.key), masterKey, draw, finished }
  // What is made on first use is there before anything is counted.
  yield* Effect.promise(() => new Load(asking).run(2, 20))
  yield* Effect.sleep("2 seconds")
  const before = yield* inventory
  const samples: Array<Sample> = []
  const began = performance.now()
  const sampling = setInterval(() => {
    const at = (performance.now() - began) / 1000
    samples.push(sample(pid, at))
    if (samples.length % 60 === 0) say(`${(at / 60).toFixed(0)} min: RSS ${samples.at(-1)!.rssMb.toFixed(0)} MB`)
  }, SAMPLE_MS)
  yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(sampling)))
  const start = sample(pid, 0)
  const load = new Load(asking)
  const third = Effect.promise(() => load.run(seconds / 3, options.rate))
  yield* third
  const first = yield* inventory
  yield* third
  const second = yield* inventory
  // An inventory collects: what this one leaves is the gateway's own to give back.
  yield* third
  const { endings, left, perMinute } = load
  clearInterval(sampling)
  agent.destroy()

  let rest = sample(pid, seconds)
  for (let i = 0; i < REST_SECONDS && (rest.files ?? 0) > (start.files ?? 0) + TOLERANCE; i++) {
    yield* Effect.sleep("1 second")
    rest = sample(pid, seconds)
  }
  const { mostKept = Infinity } = options
  let quiet = sample(pid, seconds)
  for (let i = 0; i < QUIET_SECONDS && quiet.rssMb > start.rssMb + mostKept; i++) {
    yield* Effect.sleep("1 second")
    quiet = sample(pid, seconds)
  }
  const after = yield* inventory
  const code = yield* end("SIGTERM")
  const differences = yield* Effect.scoped(
    Effect.provide(verifyLedger, Layer.fresh(Database.layer({ filename: store })))
  )
  const mostRss = Math.max(0, ...samples.map(({ rssMb }) => rssMb))
  const growth = (second.inUseMb - first.inUseMb) / (seconds / 3 / 60)
  const problems = [
    ...wrongEndings(endings),
    ...(left === 0 ? [] : [`${left} requests never ended`]),
    ...(mostRss <= options.mostRss ? [] : [`RSS was ${mostRss.toFixed(0)} MB, more than ${options.mostRss}`]),
    ...(growth <= options.mostGrowth ? [] : [`what is in use grew by ${growth.toFixed(2)} MB a minute`]),
    ...(quiet.rssMb <= start.rssMb + mostKept
      ? []
      : [`RSS stayed at ${quiet.rssMb.toFixed(0)} MB, ${start.rssMb.toFixed(0)} before the load`]),
    ...more("open files", start.files ?? 0, rest.files ?? 0),
    ...more("fibers", before.fibers, after.fibers),
    ...more("responses", before.responses, after.responses),
    ...(code === 0 ? [] : [`the gateway ended with ${code}`]),
    ...differences.map(({ found, expected, of, sum }) => `ledger: ${sum} of ${of} is ${found}, not ${expected}`),
    ...missing(store, told)
  ]
  return {
    requests: [...endings.values()].reduce((sum, one) => sum + [...one.values()].reduce((a, b) => a + b, 0), 0),
    finished: told.size,
    mostRss,
    growth,
    kept: { before: start.rssMb, after: quiet.rssMb },
    before,
    after,
    lines: [
      ...table(samples, perMinute),
      "",
      ...[...endings].map(
        ([name, one]) => `${name}: ${[...one].map(([what, count]) => `${count} ${what}`).join(", ")}`
      ),
      `open files ${start.files} → ${rest.files}, fibers ${before.fibers} → ${after.fibers}, responses ${before.responses} → ${after.responses}, in use ${[before, first, second, after].map(({ inUseMb }) => inUseMb).join(" → ")} MB`
    ],
    problems
  } satisfies SoakReport as SoakReport
})

type Endings = Map<string, Map<string, number>>

class Load {
  readonly endings: Endings = new Map()
  readonly perMinute: Array<number> = []
  private readonly asking: Asking
  private readonly underWay = new Set<Promise<void>>()
  private readonly began = performance.now()

  constructor(asking: Asking) {
    this.asking = asking
  }

  /** How many never ended. */
  get left(): number {
    return this.underWay.size
  }

  /** Sends what is due, answered or not, and waits for the last answer, a minute at most. */
  async run(seconds: number, rate: number): Promise<void> {
    const { underWay } = this
    const began = performance.now()
    const elapsed = () => (performance.now() - began) / 1000
    let sent = 0
    const alive = setInterval(() => {}, 1_000)
    while (elapsed() < seconds) {
      const due = Math.min(Math.floor(elapsed() * rate), sent + MOST_AT_ONCE - underWay.size)
      for (; sent < due; sent++) {
        const running: Promise<void> = this.one().finally(() => underWay.delete(running))
        underWay.add(running)
      }
      await pause(10)
    }
    await Promise.race([Promise.all(underWay), pause(LAST_ANSWER_MS)])
    clearInterval(alive)
  }

  private async one(): Promise<void> {
    const { asking, endings, perMinute } = this
    const kind = kindAt(asking.draw(1000))
    const minute = Math.floor((performance.now() - this.began) / 60_000)
    perMinute[minute] = (perMinute[minute] ?? 0) + 1
    const how = await kind.run(asking).catch((error: NodeJS.ErrnoException) => `gone (${error.code ?? error.message})`)
    const own = endings.get(kind.name) ?? new Map<string, number>()
    endings.set(kind.name, own.set(how, (own.get(how) ?? 0) + 1))
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())

const kindAt = (mille: number) => {
  let sum = 0
  return kinds.find(({ share }) => mille < (sum += share)) ?? kinds[0]!
}

const wrongEndings = (endings: Endings): ReadonlyArray<string> =>
  kinds.flatMap(({ may, name }) =>
    [...(endings.get(name) ?? [])]
      .filter(([how]) => !may.includes(how.replace(/ .*/, "")))
      .map(([how, count]) => `${name}: ${count} ended with ${how}`)
  )

const more = (what: string, before: number, after: number): ReadonlyArray<string> =>
  after <= before + TOLERANCE ? [] : [`${after} ${what} after the load, ${before} before it`]

/** Every answer that was seen to its end is in the ledger, at the price that was said; nothing is open. */
const missing = (store: string, told: ReadonlyMap<string, number>): ReadonlyArray<string> => {
  const db = new DatabaseSync(store, { readOnly: true })
  const rows = db.prepare(
    "SELECT request_id AS id, sum(cost) AS cost FROM ledger WHERE status != 'reserved' GROUP BY 1"
  )
  const booked = new Map(rows.all().map(({ cost, id }) => [String(id), Number(cost)]))
  const open = Number(db.prepare("SELECT count(*) AS n FROM ledger WHERE status = 'reserved'").get()!["n"])
  db.close()
  const wrong = [...told].filter(([id, cost]) => booked.get(id) !== cost)
  return [
    ...(open === 0 ? [] : [`${open} rows of the ledger are still open`]),
    ...wrong
      .slice(0, 5)
      .map(([id, cost]) => `${id} was finished at ${cost} nano-USD and is booked at ${booked.get(id)}`),
    ...(wrong.length > 5 ? [`and ${wrong.length - 5} more like that`] : [])
  ]
}

/** The same numbers for the same seed (mulberry32). */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((((mixed ^ (mixed >>> 14)) >>> 0) * below) / 2 ** 32) | 0
  }
}
