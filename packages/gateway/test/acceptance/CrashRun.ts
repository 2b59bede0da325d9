/**
 * Kills a gateway under load, again and again, and looks at what it left: whatever a client saw finished is in the ledger, at the
 * price it was told, once; no reservation stays open after the next start; and the books agree with each other, as they were left
 * by the dead process and as the next one takes them over.
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Deferred, Effect, Random } from "effect"
import { childrenOf, gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { type LedgerRow, ledgerOf, masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"
import { verifiedLedger } from "../support/VerifiedLedger.ts"
import { askOn, price, provider, type Told } from "./CrashLoad.ts"

export interface CrashOptions {
  readonly rounds: number
  readonly seed: string
  /** A gateway is killed after at most so many answers. */
  readonly mostAnswers: number
  /** Processes that serve; one where it is left out. With more, one of them is killed in each round before all are. */
  readonly workers?: number
  readonly onRound?: (line: string) => void
}

export interface CrashReport {
  /** Requests sent, of which so many were seen finished, and so many left a row that only the restart closed. */
  readonly requests: number
  readonly finished: number
  readonly abandoned: number
  readonly streams: number
  /** Finished answers that are not in the ledger, or are at another cost than the client was told. */
  readonly missing: number
  /** Requests with more than one row. */
  readonly doubled: number
  /** Rows that a start left open. */
  readonly leftOpen: number
  /** Workers that were killed by themselves. */
  readonly workersKilled: number
  /** Lines of `ledger verify`, of all rounds. */
  readonly differences: number
  /** What is wrong, in words; empty when nothing is. */
  readonly problems: ReadonlyArray<string>
}

const CLIENTS = 12
const LEAST_ANSWERS = 10
/** After the answers a moment more, in ms: however fast the machine is, the gateway dies in the middle of work. */
const LONGEST_MOMENT = 20

export const crashRun = Effect.fnUntraced(function* ({
  mostAnswers,
  onRound,
  rounds,
  seed,
  workers = 1
}: CrashOptions) {
  const { baseUrl } = yield* upstream(provider)
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  yield* Effect.sync(() => writeFileSync(config, configuration(baseUrl, store, workers)))
  const start = gatewayProcess(["serve", "--config", config, "--port", "0"], listening)

  const told: Array<Told> = []
  const leftOpen: Array<string> = []
  const differences: Array<string> = []
  let key: string | undefined
  let number = 0
  let workersKilled = 0
  const draw = Effect.all({
    answers: Random.nextIntBetween(LEAST_ANSWERS, mostAnswers),
    moment: Random.nextIntBetween(0, LONGEST_MOMENT),
    victim: Random.nextIntBetween(0, workers - 1)
  })
  const lives = yield* Random.withSeed(
    Effect.forEach(Array.from({ length: rounds }), () => draw),
    seed
  )
  for (const [round, { answers, moment, victim }] of lives.entries()) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { end, pid, ready: url } = yield* start
        leftOpen.push(...stillOpen(store, `start ${round + 1}`))
        key ??= yield* newKey(url)
        const secret = key
        let dead = false
        let left = answers
        const half = Math.ceil(answers / 2)
        const enough = Deferred.makeUnsafe<void>()
        const clients = Array.from({ length: CLIENTS }, () =>
          askOn(
            url,
            secret,
            () => ++number,
            (what) => {
              told.push(what)
              if (what.cost === undefined) return
              left--
              if (left === half && killedOne(pid, workers, victim)) workersKilled++
              if (left === 0) Deferred.doneUnsafe(enough, Effect.void)
            },
            () => dead
          )
        )
        yield* Deferred.await(enough).pipe(Effect.timeout("60 seconds"), Effect.orDie)
        yield* Effect.sleep(moment)
        dead = true
        yield* end("SIGKILL")
        yield* Effect.promise(() => Promise.all(clients))
        const { open, problems, rows } = yield* verifiedLedger(store)
        differences.push(...problems.map((problem) => `after kill ${round + 1}: ${problem}`))
        onRound?.(
          `round ${round + 1}: killed after ${answers} answers and ${moment} ms, ${told.length} requests so far, ${rows} rows closed, ${open} open: ` +
            (problems.length === 0 ? "the books agree" : `${problems.length} differences`)
        )
      })
    )
  }
  const { ready: url } = yield* start
  leftOpen.push(...stillOpen(store, "the last start"))
  const rows = ledgerOf(store)
  const byTag = Map.groupBy(rows, ({ tags }) => tags)
  const missing = told.flatMap((one) => missed(one, byTag.get(one.tag) ?? []))
  const doubled = [...byTag].flatMap(([tag, { length }]) => (length > 1 ? [`${tag} is booked ${length} times`] : []))
  differences.push(...(yield* verifiedLedger(store)).problems, ...(yield* sums(url, key ?? "", rows)))
  return {
    requests: told.length,
    finished: told.filter(({ cost }) => cost !== undefined).length,
    streams: told.filter(({ stream }) => stream).length,
    abandoned: rows.filter(({ status }) => status === "abandoned").length,
    missing: missing.length,
    doubled: doubled.length,
    leftOpen: leftOpen.length,
    workersKilled,
    differences: differences.length,
    problems: [...missing, ...doubled, ...leftOpen, ...differences]
  } satisfies CrashReport as CrashReport
})

const configuration = (baseUrl: string, store: string, workers: number) => `
master_key: "${masterKey}"
server: { workers: ${workers} }
store: { sqlite: "${store}" }
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: ${price.input}, output: ${price.output} }, bounds: { reasoning_tokens: 0 } }]
`

/** Another one takes its place; what it was about to answer is lost to its callers alone. */
const killedOne = (pid: number, workers: number, victim: number): boolean => {
  const [found] = workers === 1 ? [] : childrenOf(pid).slice(victim)
  if (found !== undefined) process.kill(found, "SIGKILL")
  return found !== undefined
}

/** With a limit and a budget, so that all books are kept. */
const newKey = Effect.fnUntraced(function* (url: string) {
  const body = { name: "crash", limits: { rpm: 1_000_000 }, budgets: [{ usd: 1_000, window: "total" }] }
  const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body })
  return String(json.key)
})

const stillOpen = (store: string, when: string): ReadonlyArray<string> =>
  ledgerOf(store)
    .filter(({ status }) => status === "reserved")
    .map(({ tags }) => `${tags} is still reserved after ${when}`)

/** What a client was told against what the ledger says. */
const missed = ({ cost, stream, tag }: Told, [row]: ReadonlyArray<LedgerRow>): ReadonlyArray<string> => {
  const what = `${tag} (${stream ? "stream" : "plain"})`
  if (cost === undefined) return []
  if (row === undefined) return [`${what} was finished and is not in the ledger`]
  if (row.status === "settled" && row.cost === cost) return []
  return [`${what} was finished at ${cost} nano-USD and is ${row.status} at ${row.cost}`]
}

/** The rollups and the budget against the rows. */
const sums = Effect.fnUntraced(function* (url: string, key: string, rows: ReadonlyArray<LedgerRow>) {
  const total = rows.reduce((sum, { cost }) => sum + cost, 0)
  const spend = yield* call(url, { method: "GET", path: "/admin/spend", key: masterKey })
  const own = yield* call(url, { method: "GET", path: "/v1/key", key })
  return [
    ["the spend report", spend.json.total?.cost_usd],
    ["the budget", own.json.budgets?.[0]?.spent_usd]
  ].flatMap(([what, usd]) =>
    Math.round(Number(usd) * 1e9) === total ? [] : [`${what} says ${usd} USD where the rows sum up to ${total / 1e9}`]
  )
})
