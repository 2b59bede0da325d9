/**
 * Far more requests at once than a budget has room for, through the real port of a gateway in its own process, before a provider
 * that answers nobody until all of them are decided: exactly those that fit are admitted, and nothing stays held.
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { gatewayProcess, listening, nodeProcess } from "../support/GatewayProcess.ts"
import { type Answered, call } from "../support/RawHttp.ts"
import { ledgerOf, masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { verifiedLedger } from "../support/VerifiedLedger.ts"
import { outcomeOf, type Outcome, type Scenario, scenarios } from "./OverspendCheck.ts"
import { bodyOf, loadAtOnce } from "./OverspendLoad.ts"

export interface OverspendOptions {
  readonly requests: number
  /** So many of them fit into the budget. */
  readonly room: number
  /** Processes that serve them; one where it is left out. */
  readonly workers?: number
  readonly onScenario?: (outcome: Outcome) => void
}

export interface OverspendReport {
  readonly outcomes: ReadonlyArray<Outcome>
  /** Rows in the ledger at the end. */
  readonly rows: number
  /** What is wrong; empty when nothing is. */
  readonly problems: ReadonlyArray<string>
}

/** Each worker has its part of them, and all requests may be held at once. */
const MOST_CONNECTIONS = 65_535

/** How long the decisions, and then the answers, may take. */
const PATIENCE_MS = 180_000

export const overspendRun = Effect.fnUntraced(function* ({
  onScenario,
  requests,
  room,
  workers = 1
}: OverspendOptions) {
  const provider = yield* nodeProcess(join(import.meta.dirname, "HeldUpstream.ts"), [], ({ stdout }) =>
    /^\d+\n/.test(stdout) ? `http://127.0.0.1:${stdout.trim()}` : undefined
  )
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  yield* Effect.sync(() => writeFileSync(config, configuration(provider.ready, store, workers)))
  const gateway = yield* gatewayProcess(["serve", "--config", config, "--port", "0"], listening)
  const url = gateway.ready
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(store, { readOnly: true })),
    (db) => Effect.sync(() => db.close())
  )
  const openRows = db.prepare("SELECT count(*) AS count FROM ledger WHERE status = 'reserved'")
  const countOpen = () => Number(openRows.get()?.["count"])
  const steer = (what: "hold" | "release") => call(provider.ready, { path: `/${what}` })
  const admin = (path: string, body: object | undefined, method = "POST") =>
    call(url, { method, path, key: masterKey, body })

  const play = Effect.fnUntraced(function* (scenario: Scenario) {
    const worst = yield* worstCase(admin, url, store, scenario.stream)
    const budgets = yield* scenario.prepare(admin, { requests, room, worst })
    const started = performance.now()
    yield* steer("hold")
    let refused = 0
    const answers = loadAtOnce({
      url,
      keys: budgets.keys,
      requests,
      stream: scenario.stream,
      hangUp: scenario.hangUp,
      refused: () => refused++
    })
    yield* until(() => refused + countOpen() >= requests)
    const admitted = countOpen()
    yield* steer("release")
    const ended = yield* Effect.promise(() => answers).pipe(Effect.timeout(PATIENCE_MS), Effect.orDie)
    yield* until(() => countOpen() === 0)
    const states = yield* Effect.map(budgets.states, (all) => all.map(({ json }: Answered) => json.budgets[0]))
    const outcome = outcomeOf(scenario, {
      requests,
      room,
      least: workers === 1 ? room : room - workers,
      worst,
      admitted,
      ended,
      states,
      rows: ledgerOf(store).filter((row) => budgets.ids.includes(row.key_id)),
      seconds: (performance.now() - started) / 1000
    })
    onScenario?.(outcome)
    return outcome
  })

  const outcomes = yield* Effect.forEach(scenarios, play)
  const { open, problems, rows } = yield* verifiedLedger(store)
  const left = open === 0 ? [] : [`${open} reservations are still open`]
  return {
    outcomes,
    rows,
    problems: [...outcomes.flatMap((outcome) => outcome.problems), ...left, ...problems]
  } satisfies OverspendReport as OverspendReport
})

/** Patient with the provider: what is held back waits here, not there. */
const configuration = (provider: string, store: string, workers: number) => `
master_key: "${masterKey}"
server: { workers: ${workers} }
store: { sqlite: "${store}" }
providers: { up: { protocol: openai-chat, base_url: "${provider}/v1", api_key: none, max_connections: ${MOST_CONNECTIONS} } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }, timeouts: { first_token: 300s, idle: 300s, total: 900s } }
`

/** What one request reserves, in nano-USD, read off one that no budget holds. */
const worstCase = Effect.fnUntraced(function* (
  admin: (path: string, body: object) => Effect.Effect<Answered>,
  url: string,
  store: string,
  stream: boolean
) {
  const { json } = yield* admin("/admin/keys", { name: "measure" })
  const body = JSON.parse(bodyOf(0, stream)) as object
  yield* call(url, { path: "/v1/chat/completions", key: json.key, body })
  return ledgerOf(store).at(-1)!.reserved
})

const until = Effect.fnUntraced(function* (isDone: () => boolean) {
  const end = performance.now() + PATIENCE_MS
  while (!isDone() && performance.now() < end) yield* Effect.sleep(50)
})
