/** The ways in which a budget is stormed, and what must have come of it. */
import { Effect } from "effect"
import type { Answered } from "../support/RawHttp.ts"
import type { Booked } from "./fleet/Fleet.ts"
import type { Ended } from "./OverspendLoad.ts"

type Admin = (path: string, body: object | undefined, method?: string) => Effect.Effect<Answered>

interface Size {
  readonly requests: number
  readonly room: number
  /** What each request reserves, in nano-USD. */
  readonly worst: number
}

export interface Scenario {
  readonly name: string
  readonly stream: boolean
  readonly hangUp: boolean
  /** One of the budgets has room for exactly `room`. */
  readonly prepare: (
    admin: Admin,
    size: Size
  ) => Effect.Effect<{
    readonly keys: ReadonlyArray<string>
    readonly ids: ReadonlyArray<string>
    /** Sent with each request. */
    readonly headers?: { readonly [name: string]: string }
    /** Owners of budgets. All requests were charged to the first. */
    readonly states: Effect.Effect<ReadonlyArray<Answered>>
  }>
}

const usd = (nano: number): number => nano / 1e9

const get = (admin: Admin, path: string) => admin(path, undefined, "GET")

const key = (admin: Admin, body: object) =>
  Effect.map(admin("/admin/keys", body), ({ json }) => ({ id: String(json.id), secret: String(json.key) }))

const ownBudget: Scenario["prepare"] = Effect.fnUntraced(function* (admin, { room, worst }) {
  const { id, secret } = yield* key(admin, { budgets: [{ usd: usd(room * worst), window: "month" }] })
  return { keys: [secret], ids: [id], states: Effect.all([get(admin, `/admin/keys/${id}`)]) }
})

/** `own`: the share of the room that the budget of each key has by itself. */
const teamBudget = (team: string, own: number | undefined): Scenario["prepare"] =>
  Effect.fnUntraced(function* (admin, { room, worst }) {
    yield* admin(`/admin/teams/${team}`, { budgets: [{ usd: usd(room * worst), window: "total" }] }, "PUT")
    const budgets = own === undefined ? [] : [{ usd: usd(Math.floor(room * own) * worst), window: "day" }]
    const keys = yield* Effect.all([key(admin, { team, budgets }), key(admin, { team, budgets })])
    const owners = keys.map(({ id }) => get(admin, `/admin/keys/${id}`))
    return {
      keys: keys.map(({ secret }) => secret),
      ids: keys.map(({ id }) => id),
      states: Effect.all([get(admin, `/admin/teams/${team}`), ...(own === undefined ? [] : owners)])
    }
  })

/** Every kind of scope has a budget, and that of `tight` is the one without room for more. */
const everyScope = (tight: "end_user" | "session" | "record" | "rule"): Scenario["prepare"] =>
  Effect.fnUntraced(function* (admin, { requests, room, worst }) {
    const team = `every-${tight}`
    const budgets = (of?: typeof tight) => [
      { usd: usd((of === tight ? room : requests * 2) * worst), window: "day", time_zone: "Europe/Berlin" }
    ]
    const model_rules = [{ match: ["up/*"], budgets: budgets() }]
    const shared = { budgets: budgets(), model_rules: [{ match: ["m"], budgets: budgets("rule") }] }
    yield* admin(`/admin/teams/${team}`, shared, "PUT")
    const templates = {
      per_end_user: { budgets: budgets("end_user"), model_rules },
      per_session: { budgets: budgets("session"), model_rules }
    }
    if (tight === "record") yield* admin(`/admin/end-users/team:${team}/ann%201`, { budgets: budgets("record") }, "PUT")
    // A session belongs to one key, an end user to the team.
    const made = yield* Effect.forEach(tight === "session" ? [1] : [1, 2], () =>
      key(admin, { team, budgets: budgets(), model_rules, ...templates })
    )
    return {
      keys: made.map(({ secret }) => secret),
      ids: made.map(({ id }) => id),
      headers: { "x-gateway-end-user": "ann%201", "x-gateway-session-id": "s#1" },
      states: Effect.all([
        get(admin, `/admin/teams/${team}`),
        ...made.map(({ id }) => get(admin, `/admin/keys/${id}`)),
        ...(tight === "record" ? [get(admin, `/admin/end-users/team:${team}/ann%201`)] : [])
      ])
    }
  })

export const scenarios: ReadonlyArray<Scenario> = [
  { name: "a key, plain", stream: false, hangUp: false, prepare: ownBudget },
  { name: "a key, streams, every 5th client hangs up", stream: true, hangUp: true, prepare: ownBudget },
  { name: "a team, two keys", stream: false, hangUp: false, prepare: teamBudget("red", undefined) },
  {
    name: "a team, two keys with budgets, every 5th hangs up",
    stream: true,
    hangUp: true,
    prepare: teamBudget("blue", 0.8)
  },
  { name: "an unknown end user, among all scopes", stream: false, hangUp: false, prepare: everyScope("end_user") },
  { name: "an end user's record, among all scopes", stream: true, hangUp: true, prepare: everyScope("record") },
  { name: "a session, among all scopes", stream: true, hangUp: true, prepare: everyScope("session") },
  { name: "a team's model rule, among all scopes", stream: false, hangUp: false, prepare: everyScope("rule") }
]

export interface Outcome {
  readonly name: string
  readonly requests: number
  readonly admitted: number
  readonly refused: number
  readonly finished: number
  readonly hungUp: number
  /** USD. */
  readonly budget: number
  readonly booked: number
  readonly stillReserved: number
  readonly seconds: number
  readonly problems: ReadonlyArray<string>
}

interface Observed extends Size {
  /** So many must be admitted: as many as fit; where several processes share it one less for each, which may hold too little for a request. */
  readonly least: number
  /** Reservations open at the moment when every request was either held or refused. */
  readonly admitted: number
  readonly ended: ReadonlyArray<Ended>
  readonly states: ReadonlyArray<{ usd: number; spent_usd: number; reserved_usd: number }>
  readonly rows: ReadonlyArray<Booked>
  readonly seconds: number
}

export const outcomeOf = ({ hangUp, name }: Scenario, observed: Observed): Outcome => {
  const { admitted, ended, least, requests, room, rows, seconds, states } = observed
  const problems: Array<string> = []
  const expect = (holds: boolean, what: string) => {
    if (!holds) problems.push(`${name}: ${what}`)
  }
  const refused = ended.filter(({ status }) => status === 429)
  const hungUp = ended.filter((one) => one.hungUp)
  const finished = ended.filter(({ cost }) => cost !== undefined)
  expect(admitted <= room && admitted >= least, `${admitted} admitted where ${room} fit`)
  // A connection that the provider closed at the same moment is a failed attempt, which costs nothing and has a row of its own.
  const charged = rows.filter(({ cost }) => cost > 0)
  const booked = new Set(charged.map(({ tags }) => tags))
  expect(
    charged.length === admitted && booked.size === admitted,
    `${charged.length} rows that cost for ${admitted} requests`
  )
  const other = ended.find(({ status }) => status !== 200 && status !== 429)
  expect(
    refused.length === requests - admitted,
    `${refused.length} refused instead of ${requests - admitted}${other === undefined ? "" : `; others got such as ${other.status} ${other.text}`}`
  )
  expect(
    finished.length + hungUp.length === admitted,
    `${finished.length} finished and ${hungUp.length} left of ${admitted}`
  )
  expect(hungUp.length > 0 === hangUp, `${hungUp.length} clients hung up`)
  const wrong = refused.filter((one) => !isContractual(one))
  expect(wrong.length === 0, `${wrong.length} refusals in other words, such as ${wrong[0]?.status} ${wrong[0]?.text}`)
  const cost = rows.reduce((sum, row) => sum + row.cost, 0)
  for (const [index, { reserved_usd, spent_usd, usd: limit }] of states.entries()) {
    expect(spent_usd <= limit, `${spent_usd} USD spent of ${limit}`)
    expect(reserved_usd === 0, `${reserved_usd} USD still held`)
    if (index === 0) expect(Math.round(spent_usd * 1e9) === cost, `${spent_usd} USD spent where rows cost ${cost}`)
  }
  const byTag = new Map(charged.map((row) => [row.tags, row]))
  for (const { cost, hungUp: left, tag } of ended) {
    const row = byTag.get(tag)
    if (cost !== undefined) expect(row?.cost === cost, `${tag} was told ${cost} and booked ${row?.cost}`)
    const isEstimate = row !== undefined && row.estimated === 1 && row.cost > 0 && row.cost <= row.reserved
    if (left) expect(isEstimate, `${tag} hung up and is booked as ${JSON.stringify(row)}`)
  }
  return {
    name,
    requests,
    admitted,
    refused: refused.length,
    finished: finished.length,
    hungUp: hungUp.length,
    budget: states[0]?.usd ?? 0,
    booked: cost / 1e9,
    stillReserved: states.reduce((sum, { reserved_usd }) => sum + reserved_usd, 0),
    seconds,
    problems
  }
}

/** All that is left is held by requests in flight: refused for the moment. */
const isContractual = ({ headers, text }: Ended): boolean => {
  const { error } = JSON.parse(text)
  return (
    error.type === "insufficient_quota" &&
    error.code === "budget_reserved" &&
    error.kind === "budget_reserved" &&
    error.param === null &&
    error.retry_after_seconds === 1 &&
    headers["retry-after"] === "1" &&
    headers["x-gateway-limit-kind"] === "budget_reserved" &&
    error.used <= error.limit &&
    ["key", "team", "end_user", "session"].includes(error.scope)
  )
}
