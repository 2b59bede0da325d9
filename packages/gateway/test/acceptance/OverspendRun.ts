/**
 * Far more requests at once than a budget has room for, through the real port of a gateway in its own process, before a provider
 * that answers nobody until all of them are decided: exactly those that fit are admitted, and nothing stays held.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { nodeProcess } from "../support/GatewayProcess.ts"
import { type Answered, call } from "../support/RawHttp.ts"
import { masterKey } from "../support/RunningGateway.ts"
import type { Fleet } from "./fleet/Fleet.ts"
import { fleetOf, type Topology } from "./fleet/Fleets.ts"
import { outcomeOf, type Outcome, type Scenario, scenarios } from "./OverspendCheck.ts"
import { bodyOf, loadAtOnce } from "./OverspendLoad.ts"

export interface OverspendOptions {
  readonly requests: number
  /** So many of them fit into the budget. */
  readonly room: number
  /** Who serves them; one process on a file where it is left out. */
  readonly topology?: Topology
  readonly onScenario?: (outcome: Outcome) => void
}

export interface OverspendReport {
  readonly outcomes: ReadonlyArray<Outcome>
  /** Rows in the ledger at the end. */
  readonly rows: number
  /** What is wrong; empty when nothing is. */
  readonly problems: ReadonlyArray<string>
}

/** All requests may be open at once. */
const MOST_CONNECTIONS = 65_535

/** How long the decisions, and then the answers, may take. */
const PATIENCE_MS = 180_000

export const overspendRun = Effect.fnUntraced(function* ({
  onScenario,
  requests,
  room,
  topology = "file"
}: OverspendOptions) {
  const provider = yield* nodeProcess(join(import.meta.dirname, "HeldUpstream.ts"), [], ({ stdout }) =>
    /^\d+\n/.test(stdout) ? `http://127.0.0.1:${stdout.trim()}` : undefined
  )
  const fleet = yield* fleetOf(topology, configuration(provider.ready))
  const urls = yield* fleet.start
  const [url = ""] = urls
  const steer = (what: "hold" | "release") => call(provider.ready, { path: `/${what}` })
  const admin = (path: string, body: object | undefined, method = "POST") =>
    call(url, { method, path, key: masterKey, body })

  const play = Effect.fnUntraced(function* (scenario: Scenario) {
    const worst = yield* worstCase(admin, url, fleet, scenario.stream)
    const budgets = yield* scenario.prepare(admin, { requests, room, worst })
    const started = performance.now()
    yield* steer("hold")
    let refused = 0
    const answers = loadAtOnce({
      urls,
      keys: budgets.keys,
      requests,
      headers: budgets.headers,
      stream: scenario.stream,
      hangUp: scenario.hangUp,
      refused: () => refused++
    })
    yield* until(Effect.map(fleet.open, (open) => refused + open >= requests))
    const admitted = yield* fleet.open
    yield* steer("release")
    const ended = yield* Effect.promise(() => answers).pipe(Effect.timeout(PATIENCE_MS), Effect.orDie)
    yield* until(Effect.map(fleet.open, (open) => open === 0))
    const states = yield* Effect.map(budgets.states, (all) => all.map(({ json }: Answered) => json.budgets[0]))
    const outcome = outcomeOf(scenario, {
      requests,
      room,
      least: fleet.parts === 1 ? room : room - fleet.parts,
      worst,
      admitted,
      ended,
      states,
      rows: (yield* fleet.books).filter((row) => budgets.ids.includes(row.key_id)),
      seconds: (performance.now() - started) / 1000
    })
    onScenario?.(outcome)
    return outcome
  })

  const outcomes = yield* Effect.forEach(scenarios, play)
  const { open, problems, rows } = yield* fleet.verified
  const left = open === 0 ? [] : [`${open} reservations are still open`]
  const wrong = [...outcomes.flatMap((outcome) => outcome.problems), ...left, ...problems]
  return {
    outcomes,
    rows,
    problems: wrong.length === 0 ? wrong : [...wrong, fleet.said()]
  } satisfies OverspendReport as OverspendReport
})

/** Patient with the provider: what is held back waits here, not there. */
const configuration = (provider: string) => `
providers: { up: { protocol: openai-chat, base_url: "${provider}/v1", api_key: none, max_connections: ${MOST_CONNECTIONS} } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }, timeouts: { first_token: 300s, idle: 300s, total: 900s } }
`

/** What one request reserves, in nano-USD, read off one that no budget holds. */
const worstCase = Effect.fnUntraced(function* (
  admin: (path: string, body: object) => Effect.Effect<Answered>,
  url: string,
  fleet: Fleet,
  stream: boolean
) {
  const { json } = yield* admin("/admin/keys", { name: "measure" })
  const body = JSON.parse(bodyOf(0, stream)) as object
  yield* call(url, { path: "/v1/chat/completions", key: json.key, body })
  return (yield* fleet.atRest).at(-1)!.reserved
})

const until = Effect.fnUntraced(function* (isDone: Effect.Effect<boolean>) {
  const end = performance.now() + PATIENCE_MS
  while (!(yield* isDone) && performance.now() < end) yield* Effect.sleep(50)
})
